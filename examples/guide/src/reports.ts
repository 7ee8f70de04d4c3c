import { createServer } from '@switchyard/server';
import * as z from 'zod';

/**
 * A server whose reports take longer than a call may. Give it `records` that its instances share, and a restart loses
 * nothing.
 */
export const reports = createServer({ name: 'reports', version: '1.0.0' }, { tasks: { ttlMs: 24 * 3_600_000 } });

reports.tool(
  'write_report',
  {
    description: 'Writes the report of a quarter',
    input: z.object({ quarter: z.string(), chapters: z.number().int().min(1).max(20).default(3) }),
    task: 'optional',
  },
  async ({ quarter, chapters }, ctx) => {
    // Asked in the call: nothing is begun for somebody who changes their mind.
    const wanted = await ctx.elicit('wanted', {
      message: `Write ${chapters} chapters about ${quarter}?`,
      schema: z.object({ go: z.boolean() }),
    });
    if (wanted.action !== 'accept' || !wanted.content.go) return 'Nothing was written.';

    // From here on the caller has a handle, and the handler goes on by itself.
    const task = await ctx.task({ statusMessage: 'Begun' });
    const written: string[] = [];
    for (let chapter = 1; chapter <= chapters; chapter += 1) {
      await task.update({ statusMessage: 'Writing', progress: chapter, total: chapters });
      written.push(await writeChapter(quarter, chapter, task.signal));
    }

    // Asked in the task, which waits for as long as its time lasts.
    const title = await ctx.elicit('title', { message: 'Its title?', schema: z.object({ title: z.string() }) });
    return [title.action === 'accept' ? title.content.title : quarter, ...written].join('\n');
  },
);

async function writeChapter(quarter: string, chapter: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  return `Chapter ${chapter} of ${quarter}`;
}
