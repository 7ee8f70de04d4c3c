import { createRawClient, openRawConnection, runChecks } from '@switchyard/testing';

/** Runs the boundary checks on the server at a URL and answers what failed, one line each: for a test of your own. */
export async function failuresOf(url: string): Promise<readonly string[]> {
  const client = createRawClient({ transport: 'http', instances: 1, open: () => openRawConnection({ url }) });
  try {
    const { checks } = await runChecks(client);
    return checks
      .filter(({ verdict }) => verdict === 'failed')
      .map(({ number, title, evidence }) => `${number} ${title}: ${evidence}`);
  } finally {
    await client.close();
  }
}
