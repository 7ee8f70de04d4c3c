import { createConversation, openWire, runChecks } from '@switchyard/testing';

/** Runs the boundary checks on the server at a URL and answers what failed, one line each: for a test of your own. */
export async function failuresOf(url: string): Promise<readonly string[]> {
  const conversation = createConversation({ transport: 'http', instances: 1, open: () => openWire({ url }) });
  try {
    const { checks } = await runChecks(conversation);
    return checks
      .filter(({ verdict }) => verdict === 'failed')
      .map(({ number, title, evidence }) => `${number} ${title}: ${evidence}`);
  } finally {
    await conversation.close();
  }
}
