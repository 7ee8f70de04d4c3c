import { createServer, type RequestContext, type Server, type ServerOptions, ToolError } from '@switchyard/server';

import { type Reviews, topics } from './reviews.ts';
import * as texts from './texts.ts';

const HOUR_MS = 3_600_000;

/**
 * Creates the study server: two resources, two tools around an application handle, and one that asks its caller three
 * things at once and two more in sequence. It holds nothing between two requests: what lasts is in `reviews`, and what
 * a round needs travels in its state.
 */
export function createStudyServer(reviews: Reviews, options: ServerOptions = {}): Server {
  const { serverInfo, instructions } = texts;
  const server = createServer(
    { ...serverInfo, instructions },
    // The lists are the same for everybody, and change with a new version alone.
    { cache: { ttlMs: HOUR_MS, cacheScope: 'public' }, ...options },
  );
  defineResources(server);
  defineReviews(server, reviews);
  definePlan(server);
  return server;
}

function defineResources(server: Server): void {
  const { uri: topicsUri, ...topicsResource } = texts.topicsResource;
  const { uri: methodUri, ...methodResource } = texts.methodResource;
  const cache = { ttlMs: HOUR_MS, cacheScope: 'public' } as const;
  server.resource(topicsUri, { ...topicsResource, cache }, () => JSON.stringify(topics));
  server.resource(methodUri, { ...methodResource, cache }, () => texts.methodText);
}

function defineReviews(server: Server, reviews: Reviews): void {
  server.tool('start_review', texts.startReview, async ({ topic }, ctx) => {
    const started = await reviews.start(callerOf(ctx), topic);
    if (started === undefined) throw new ToolError(texts.noSuchTopic);
    return { handle: started.handle, ...started.review };
  });

  // Whichever instance gets this, the handle says which review is meant, and the store has it.
  server.tool('review_status', texts.reviewStatus, async ({ handle }, ctx) => {
    const review = await reviews.find(callerOf(ctx), handle);
    // One answer for three reasons: nobody learns which handles there are.
    if (review === undefined) throw new ToolError(texts.noSuchReview);
    return review;
  });
}

function definePlan(server: Server): void {
  server.tool('plan_study', texts.planStudy, async ({ hours }, ctx) => {
    ctx.progress(1, 3, 'asking for the goal, the folders and the level');
    // Awaited together, the three are asked together: one round. Until they are answered the handler goes no further,
    // and nothing of it waits in this process; the retry runs it again from the top, with the answers.
    const [goal, folders, level] = await Promise.all([
      ctx.elicit('goal', { message: texts.goalMessage, schema: texts.goalForm }),
      ctx.roots('folders'),
      ctx.sample('level', texts.levelQuestion),
    ]);
    // A person may say no: that is an answer, and no failure of the protocol.
    if (goal.action !== 'accept') throw new ToolError('Nothing was planned: no goal was given.');

    ctx.progress(2, 3, 'asking the model for a plan');
    // This question is made of answers, so it can only come after them: a second round.
    const draft = await ctx.sample('draft', texts.draftQuestion(goal.content.goal, textOf(level), hours));
    const plan = textOf(draft);
    const accepted = await ctx.elicit('accept', { message: texts.acceptMessage(plan), schema: texts.acceptForm });

    ctx.progress(3, 3, 'done');
    return {
      goal: goal.content.goal,
      hours,
      folders: folders.map(({ name, uri }) => name ?? uri),
      level: textOf(level),
      plan,
      accepted: accepted.action === 'accept' && accepted.content.accept,
    };
  });
}

/** Who calls, as the server established it: what a client says about itself decides nothing. */
function callerOf({ principal }: RequestContext): string {
  return principal?.subject ?? 'anonymous';
}

function textOf({ content }: { readonly content: unknown }): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .map((block) => (block as { readonly text?: unknown }).text)
    .filter((text) => typeof text === 'string')
    .join(' ');
}
