import { isJsonObject, type JsonObject, type KnownOptions, type Method, methods } from '@switchyard/protocol';

import type { RawClient, RawExchange } from '../raw/raw-client.ts';
import { RawConnectionError, type RawConnectionErrorCode } from '../raw/raw-connection.ts';
import { refusalOf } from './answering-client.ts';
import { ask, type InputAnswers, type MultiRoundRequest, nameOfSubject } from './rounds.ts';
import { asksForInput, describeAnswer, objectsOf, resultOf, showValue } from './seen.ts';

const MAX_PAGES = 100;
const MAX_TOOLS = 50;
const MAX_PROMPTS = 20;
const MAX_RESOURCES = 20;

/** What the checks may call beside what is safe. */
export interface CheckCallOptions {
  /** A tool that is called with these arguments, whatever it does; the rounds are its own. */
  readonly tool?: { readonly name: string; readonly arguments: JsonObject };
  /** Calls every tool without required arguments. Default: only those that say they are read-only. */
  readonly callTools?: boolean;
  /** How requests for input are answered, by key. Default: with the smallest answer that fits. */
  readonly answers?: InputAnswers;
  /** A variable that every instance was started with, with the same value: the evidence of check 7 says so. */
  readonly sharedVariable?: string;
}

/** The members of {@link CheckCallOptions}. */
export const checkCallOptions: KnownOptions<CheckCallOptions> = {
  tool: true,
  callTools: true,
  answers: true,
  sharedVariable: true,
};

/** A list that a server has: all of its entries, and the exchange of each page. */
export interface ServedList {
  readonly method: string;
  readonly member: string;
  readonly entries: readonly JsonObject[];
  readonly pages: readonly RawExchange[];
  /** What is wrong with the way from page to page; `undefined` where nothing is. */
  readonly problem?: string;
  /** Whether there are more than the 100 pages that are read. */
  readonly isCut?: true;
}

/** A subject and the answer to its first request. */
export interface Called {
  readonly subject: MultiRoundRequest;
  readonly exchange: RawExchange;
}

/** A subject that was not answered, and why. */
export interface Unanswered {
  readonly subject: MultiRoundRequest;
  readonly error: RawConnectionError;
}

/** What the checks share: each of these is asked for once, when it is first needed, and again where no answer came. */
export interface CheckSite {
  readonly client: RawClient;
  readonly calls: CheckCallOptions;
  discovery(): Promise<RawExchange>;
  /** What the server advertises; empty where it did not say. */
  capabilities(): Promise<JsonObject>;
  /** The lists of the families that are advertised. */
  lists(): Promise<readonly ServedList[]>;
  /** Reads a list again, on an instance. */
  readList(label: string, list: Pick<ServedList, 'method' | 'member'>, instance?: number): Promise<ServedList>;
  /** The first answers of what may be called: tools, prompts without required arguments, resources. */
  called(): Promise<readonly Called[]>;
  /** Those of them that got no answer. */
  unanswered(): Promise<readonly Unanswered[]>;
  /**
   * One whose answer asks for input; `undefined` where none does. Its state is nobody's to send, since a server may
   * take each state once: whoever retries asks anew.
   */
  asking(): Promise<Called | undefined>;
}

/** The lists of the protocol with the capability that announces each. */
export const families = Object.entries<Method>(methods).flatMap(([method, { capability, list }]) =>
  capability === undefined || list === undefined ? [] : [{ capability, method, member: list.member }],
);

/** A method that the server serves and whose answer has no effect. */
export async function harmlessMethod({ lists }: CheckSite): Promise<string> {
  const [list] = await lists();
  return list?.method ?? 'server/discover';
}

/** The call of the tool that was named, among what was called. */
export function namedCall(called: readonly Called[], { tool }: CheckCallOptions): Called | undefined {
  return called.find(({ subject: { method, params } }) => method === 'tools/call' && params['name'] === tool?.name);
}

/** Creates the site of one run of the checks. */
export function createCheckSite(client: RawClient, calls: CheckCallOptions = {}): CheckSite {
  const discovery = once(() => client.request('discover', 'server/discover'));
  const capabilities = once(async () => {
    const declared = resultOf(await discovery())?.['capabilities'];
    return isJsonObject(declared) ? declared : {};
  });
  const lists = once(async () => {
    const declared = await capabilities();
    const served: ServedList[] = [];
    for (const family of families) {
      if (isJsonObject(declared[family.capability])) served.push(await readList(`list ${family.member}`, family));
    }
    return served;
  });
  const asked = once(async () => {
    const called: Called[] = [];
    const unanswered: Unanswered[] = [];
    for (const subject of subjectsIn(await lists(), calls)) {
      const answer = await tryAsk(client, subject);
      if (answer instanceof RawConnectionError) unanswered.push({ subject, error: answer });
      else called.push({ subject, exchange: answer });
    }
    return { called, unanswered };
  });
  const called = async (): Promise<readonly Called[]> => (await asked()).called;
  const unanswered = async (): Promise<readonly Unanswered[]> => (await asked()).unanswered;
  const asking = once(async () => {
    const all = await called();
    const named = namedCall(all, calls);
    // A tool that is named is the one that is meant, also where it asks for nothing.
    if (calls.tool !== undefined) return named !== undefined && asksForInput(named.exchange) ? named : undefined;
    return all.find(({ exchange }) => asksForInput(exchange));
  });
  return { client, calls, discovery, capabilities, lists, readList, called, unanswered, asking };

  async function readList(
    label: string,
    { method, member }: Pick<ServedList, 'method' | 'member'>,
    instance = 1,
  ): Promise<ServedList> {
    const pages: RawExchange[] = [];
    const entries: JsonObject[] = [];
    const seen = new Set<unknown>();
    let cursor: unknown;
    for (;;) {
      const page: RawExchange = await client.request(
        `${label}${pages.length === 0 ? '' : `: page ${pages.length + 1}`}`,
        method,
        cursor === undefined ? {} : { cursor },
        { instance },
      );
      pages.push(page);
      const result = resultOf(page);
      for (const entry of objectsOf(result?.[member])) entries.push(entry);
      cursor = result?.['nextCursor'];
      const served = { method, member, entries, pages };
      if (result === undefined) return { ...served, problem: `page ${pages.length} got ${describeAnswer(page)}` };
      if (cursor === undefined) return served;
      if (typeof cursor !== 'string')
        return { ...served, problem: `nextCursor of page ${pages.length} is ${showValue(cursor)}, and no text` };
      if (seen.has(cursor))
        return { ...served, problem: `nextCursor of page ${pages.length} was there before, so the list has no end` };
      if (pages.length === MAX_PAGES) return { ...served, isCut: true };
      seen.add(cursor);
    }
  }
}

/** What may be called of what is listed. */
function subjectsIn(
  lists: readonly ServedList[],
  { tool: named, callTools = false }: CheckCallOptions,
): readonly MultiRoundRequest[] {
  const entriesOf = (name: string): readonly JsonObject[] =>
    lists.find(({ member }) => member === name)?.entries.filter(hasName) ?? [];
  const tools = entriesOf('tools');
  const chosen = tools.filter(
    (tool) => tool['name'] !== named?.name && takesNothing(tool) && (callTools || isReadOnly(tool)),
  );
  const namedTool =
    named === undefined
      ? []
      : [
          toolSubject(
            tools.find(({ name }) => name === named.name),
            named,
          ),
        ];
  return [
    ...namedTool,
    ...chosen.slice(0, MAX_TOOLS).map((tool) => toolSubject(tool, { name: String(tool['name']), arguments: {} })),
    ...entriesOf('prompts')
      .filter((prompt) => objectsOf(prompt['arguments']).every(({ required }) => required !== true))
      .slice(0, MAX_PROMPTS)
      .map(({ name }): MultiRoundRequest => ({ method: 'prompts/get', params: { name } })),
    ...entriesOf('resources')
      .filter(({ uri }) => typeof uri === 'string')
      .slice(0, MAX_RESOURCES)
      .map(({ uri }): MultiRoundRequest => ({ method: 'resources/read', params: { uri } })),
  ];
}

function toolSubject(
  tool: JsonObject | undefined,
  params: { readonly name: string; readonly arguments: JsonObject },
): MultiRoundRequest {
  return { method: 'tools/call', params: { ...params }, inputSchema: tool?.['inputSchema'] };
}

function hasName({ name }: JsonObject): boolean {
  return typeof name === 'string';
}

function takesNothing({ inputSchema }: JsonObject): boolean {
  const required = isJsonObject(inputSchema) ? inputSchema['required'] : undefined;
  return !Array.isArray(required) || required.length === 0;
}

function isReadOnly({ annotations }: JsonObject): boolean {
  return isJsonObject(annotations) && annotations['readOnlyHint'] === true;
}

/** A tool may want more rights than the others, or be down alone; where all are, the next request says so. */
const forgiven = new Set<RawConnectionErrorCode>(['timeout', 'too-large', 'unreachable', 'busy']);

/** One that does not answer leaves the others to be asked; one that ends its server shows to whoever asks next. */
async function tryAsk(client: RawClient, subject: MultiRoundRequest): Promise<RawExchange | RawConnectionError> {
  try {
    const exchange = await ask(client, nameOfSubject(subject), subject);
    return refusalOf(exchange) ?? exchange;
  } catch (error) {
    if (error instanceof RawConnectionError && forgiven.has(error.code)) return error;
    throw error;
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().catch((error: unknown) => {
      // One connection that was dropped is not every check's to report.
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
