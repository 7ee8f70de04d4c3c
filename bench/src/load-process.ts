import { type LoadRequest, runLoad } from './load.ts';

// The load runs in a process of its own, so that it never shares a thread with what it measures.
process.on(
  'message',
  ({ request, connections, seconds }: { request: LoadRequest; connections: number; seconds: number }) => {
    runLoad(request, connections, seconds).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  },
);
