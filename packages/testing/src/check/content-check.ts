import type { Check } from './check.ts';
import { findInstructions } from './find-instructions.ts';
import { failed, passed, type Probe, skipped } from './probe.ts';
import { servedTexts } from './served-texts.ts';

const MAX_FINDINGS = 50;

/** Check 10: what a server says is data, and carries no instructions to the model against its host. */
export const contentCheck: Check = {
  number: 10,
  name: 'content',
  title: 'Content cannot override policy',
  asks: 'Descriptions, results and resources are untrusted input of a model: they must not carry instructions against the host, the user or other servers.',
  spec: ['server/tools#security-considerations', 'index#security-and-trust--safety'],
  async run(site) {
    const { texts, isWhole } = await servedTexts(site);
    if (texts.length === 0) return [skipped('texts', 'the server showed no text')];
    const findings = texts.flatMap(({ where, kind, text, exchange }): readonly Probe[] =>
      findInstructions(text, kind).map(({ rule, finds, excerpt }) =>
        failed(where, `${rule}: ${finds}: ${JSON.stringify(excerpt)}`, exchange),
      ),
    );
    const rest = isWhole ? [] : [skipped('the rest', 'the server has more text than is looked at')];
    if (findings.length > 0) return [...findings.slice(0, MAX_FINDINGS), ...rest];
    return [passed('texts', `${texts.length} texts carry no instructions`), ...rest];
  },
};
