import { checkConfiguration } from '@switchyard/config';
import type { Logger } from '@switchyard/protocol';
import { createMemoryAppendLog } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';
import { createAudit } from '../src/audit/audit.ts';
import { openChain } from '../src/audit/chain.ts';
import { verdictMetaKey } from '../src/call/verdict.ts';
import { createHost } from '../src/host.ts';
import { createManualClock } from './manual-clock.ts';
import { closeAfterwards } from './open-for-test.ts';
import { everything } from './open-test-host.ts';
import { orders } from './shop.ts';

describe('an audit that cannot be written', () => {
  it('stops calls before they run, and takes no result away from a call that ran', async () => {
    const log = createMemoryAppendLog();
    let failing: 'all' | 'outcomes' | 'none' | 'refusals hang' = 'all';
    const hang = new Promise<void>(() => undefined);
    const chain = await openChain(
      {
        ...log,
        append: (records) => {
          const [{ text } = { text: '' }] = records;
          if (failing === 'refusals hang') return text.includes('"refused"') ? hang : Promise.reject(new Error('busy'));
          return failing === 'all' || (failing === 'outcomes' && text.includes('"kind":"outcome"'))
            ? Promise.reject(new Error('disk full'))
            : log.append(records);
        },
      },
      's',
      () => 0,
    );
    const audit = { ...createAudit(log), append: chain.append, digest: () => '', close: () => log.close() };
    const { configuration } = checkConfiguration({ agents: { reader: everything } }, { env: {}, folder: '/' });
    const errors: string[] = [];
    const logger: Logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (_fields, message) => errors.push(message),
    };
    const { now, after } = createManualClock();
    const surroundings = {
      env: {},
      epochNow: now,
      now,
      after,
      randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
    };
    const host = createHost({ configuration, warnings: [], audit, logger, surroundings, exactIntegers: false });
    closeAfterwards(host);
    const shop = orders();
    host.mount('shop', shop);
    const agent = host.as('reader');

    expect((await agent.call('shop__cancel_order'))._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'audit-unavailable',
    });
    expect(shop.paramsOf('tools/call')).toEqual([]);
    failing = 'outcomes';
    expect(await agent.call('shop__cancel_order')).toMatchObject({ content: [{ text: 'called cancel_order' }] });
    expect(errors).toContain('the end of a call could not be recorded');
    failing = 'none';
    await agent.call('shop__cancel_order');
    expect(await audit.verify()).toMatchObject({ ok: true, intents: 2, outcomes: 1, unfinished: 1 });
    // The record of such a refusal is not waited for, since the audit has just kept the caller waiting in vain.
    failing = 'refusals hang';
    expect((await agent.call('shop__cancel_order'))._meta?.[verdictMetaKey]).toMatchObject({
      reason: 'audit-unavailable',
    });
  });
});
