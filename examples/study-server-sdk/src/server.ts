import {
  type CallToolResult,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { type Reviews, topics } from '../../study-server/src/reviews.ts';
import * as texts from '../../study-server/src/texts.ts';

const HOUR_MS = 3_600_000;

/** How far a plan has come. The author of such a server writes down what each round needs of those before. */
interface PlanState {
  readonly goal: string;
  readonly folders: readonly string[];
  readonly level: string;
  readonly plan?: string;
}

/**
 * Answers what makes the study server on the official SDK: the same texts, schemas and store as the one beside it. The
 * SDK builds a server for each request, so this is a factory; `stateKey` has at least 32 bytes.
 */
export function createStudyServerFactory(reviews: Reviews, stateKey: Uint8Array): () => McpServer {
  const state = createRequestStateCodec<PlanState>({
    key: stateKey,
    ttlSeconds: 600,
    bind: (ctx) => `${ctx.mcpReq.method}\0${callerOf(ctx)}`,
  });
  const cache = { ttlMs: HOUR_MS, cacheScope: 'public' as const };
  return () => {
    const server = new McpServer(texts.serverInfo, {
      instructions: texts.instructions,
      requestState: { verify: state.verify },
      cacheHints: { 'tools/list': cache, 'resources/list': cache },
    });
    defineResources(server, cache);
    defineReviews(server, reviews);
    server.registerTool('plan_study', schemasOf(texts.planStudy), ({ hours }, ctx) => plan(hours, ctx, state));
    return server;
  };
}

function defineResources(
  server: McpServer,
  cacheHint: { readonly ttlMs: number; readonly cacheScope: 'public' },
): void {
  const { uri: topicsUri, name: topicsName, ...topicsResource } = texts.topicsResource;
  const { uri: methodUri, name: methodName, ...methodResource } = texts.methodResource;
  server.registerResource(topicsName, topicsUri, { ...topicsResource, cacheHint }, () => ({
    contents: [{ uri: topicsUri, mimeType: topicsResource.mimeType, text: JSON.stringify(topics) }],
  }));
  server.registerResource(methodName, methodUri, { ...methodResource, cacheHint }, () => ({
    contents: [{ uri: methodUri, mimeType: methodResource.mimeType, text: texts.methodText }],
  }));
}

function defineReviews(server: McpServer, reviews: Reviews): void {
  server.registerTool('start_review', schemasOf(texts.startReview), async ({ topic }, ctx) => {
    const started = await reviews.start(callerOf(ctx), topic);
    if (started === undefined) return failure(texts.noSuchTopic);
    return complete({ handle: started.handle, ...started.review });
  });
  server.registerTool('review_status', schemasOf(texts.reviewStatus), async ({ handle }, ctx) => {
    const review = await reviews.find(callerOf(ctx), handle);
    return review === undefined ? failure(texts.noSuchReview) : complete({ ...review });
  });
}

/**
 * The same plan as a state machine: each round finds out where it is from its state and answers, and asks for the next.
 */
async function plan(
  hours: number,
  ctx: ServerContext,
  codec: ReturnType<typeof createRequestStateCodec<PlanState>>,
): Promise<CallToolResult | InputRequiredResult> {
  await progress(ctx, 1, 'asking for the goal, the folders and the level');
  const { inputResponses } = ctx.mcpReq;
  const known = ctx.mcpReq.requestState<PlanState>() ?? first(inputResponses);
  if (known === 'declined') return failure('Nothing was planned: no goal was given.');
  if (known === undefined) {
    return inputRequired({
      inputRequests: {
        goal: inputRequired.elicit({ message: texts.goalMessage, requestedSchema: texts.goalForm }),
        folders: inputRequired.listRoots(),
        level: inputRequired.createMessage(texts.levelQuestion),
      },
    });
  }

  await progress(ctx, 2, 'asking the model for a plan');
  const draft = known.plan ?? sampled(inputResponses, 'draft');
  if (draft === undefined) {
    return inputRequired({
      inputRequests: { draft: inputRequired.createMessage(texts.draftQuestion(known.goal, known.level, hours)) },
      requestState: await codec.mint(known, ctx),
    });
  }
  const accepted = inputResponse(inputResponses, 'accept');
  if (accepted.kind !== 'elicit') {
    return inputRequired({
      inputRequests: {
        accept: inputRequired.elicit({ message: texts.acceptMessage(draft), requestedSchema: texts.acceptForm }),
      },
      requestState: await codec.mint({ ...known, plan: draft }, ctx),
    });
  }

  await progress(ctx, 3, 'done');
  const { goal, folders, level } = known;
  const form = texts.acceptForm.safeParse(accepted.content);
  return complete({ goal, hours, folders, level, plan: draft, accepted: form.success && form.data.accept });
}

/** What the first round asked for, when all of it is there. */
function first(responses: Parameters<typeof inputResponse>[0]): PlanState | 'declined' | undefined {
  const goal = inputResponse(responses, 'goal');
  const folders = inputResponse(responses, 'folders');
  const level = sampled(responses, 'level');
  if (goal.kind !== 'elicit' || folders.kind !== 'roots' || level === undefined) return undefined;
  if (goal.action !== 'accept') return 'declined';
  const form = texts.goalForm.safeParse(goal.content);
  return form.success
    ? { goal: form.data.goal, folders: folders.roots.map(({ name, uri }) => name ?? uri), level }
    : undefined;
}

function sampled(responses: Parameters<typeof inputResponse>[0], key: string): string | undefined {
  const view = inputResponse(responses, key);
  if (view.kind !== 'sampling') return undefined;
  const { content } = view.result;
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
}

async function progress({ mcpReq }: ServerContext, done: number, message: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress: done, total: 3, message },
  });
}

function schemasOf<T extends { readonly input: unknown; readonly output: unknown }>({ input, output, ...rest }: T) {
  return { ...rest, inputSchema: input as T['input'], outputSchema: output as T['output'] };
}

function complete(structuredContent: { readonly [name: string]: unknown }): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function callerOf({ http }: ServerContext): string {
  return http?.authInfo?.clientId ?? 'anonymous';
}
