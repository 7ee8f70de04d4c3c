import { type LoadRequest, runLoad } from './load.ts';

/** What the benchmark asks of the load over HTTP: to send a request over connections for a time. */
export interface HttpRun {
  readonly request: LoadRequest;
  readonly connections: number;
  readonly seconds: number;
}

// The load runs in a process of its own, so that it never shares a thread with what it measures.
process.on('message', ({ request, connections, seconds }: HttpRun) => {
  runLoad(request, connections, seconds).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
