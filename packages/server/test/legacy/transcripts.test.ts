import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { type Line, replays } from './replay.ts';

const folder = fileURLToPath(new URL('transcripts', import.meta.url));

function read(file: string): readonly Line[] {
  const [, ...lines] = readFileSync(`${folder}/${file}`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

describe.each(readdirSync(folder))('the transcript %s', (file) => {
  it.each(replays)('replays over %s', async (_name, open) => {
    const replay = await open();
    for (const line of read(file)) {
      if ('client' in line) await replay.send(line.client);
      else expect(await replay.receive()).toEqual(line.server);
    }
    await replay.close();
  });
});
