import {
  type CallToolResult,
  type GetPromptResult,
  isValueDeeperThan,
  type JsonObject,
  MAX_MESSAGE_DEPTH,
  type ReadResourceResult,
  type Tool,
} from '@switchyard/protocol';
import type { WholeList } from './whole-list.ts';
import { quoted } from '../peer/excerpt.ts';
import type { ClientErrorCode } from '../peer/client-error-code.ts';
import type { ClientError } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { findDisagreement } from './agreement.ts';
import type { Checks, Reaction } from './check-options.ts';
import { createKnownTools, reactionTo } from './known-tools.ts';
import { fitToolResult, type ResultSize, type ResultWait, sizeOf, tooLarge } from './result-size.ts';
import { isWithin, safeOnly, withSafeLinks } from './safe-links.ts';
import { safePlace } from './safe-place.ts';
import type { ToolSchemas } from './tool-schemas.ts';

/** What stands between a server's word and whoever asked for it. */
export interface ResultChecks {
  /** Learns the tools, and leaves those out whose schemas cannot be used. `changesBefore`: see `KnownTools.learn`. */
  learnTools(list: WholeList<Tool>, changesBefore?: number): Promise<WholeList<Tool>>;
  /** Throws a `ClientError` with code `invalid-argument` for a call that is not to be sent. */
  assertCallable(name: string, args: JsonObject): void;
  /**
   * Answers the result of a tool, without unsafe links and within the limits. Without a `name`, which a task by its kept
   * id has not, it is checked by all but the tool's definition. Throws `result-rejected`. What is kept elsewhere of a
   * result that nobody waits for any more, as `waiting` tells, is dropped.
   */
  toolResult(
    name: string | undefined,
    result: CallToolResult,
    waiting?: ResultWait,
  ): CallToolResult | Promise<CallToolResult>;
  /**
   * The same for the resource that was asked for by `uri`, whose contents cannot be links, so that a large one is always
   * refused. Contents of that URI, and of one below it, are no new links. Throws `result-rejected` where the URI of no
   * content is safe.
   */
  resource(uri: string, result: ReadResourceResult): ReadResourceResult;
  /** The same for a prompt: throws where no message is left. */
  prompt(result: GetPromptResult): GetPromptResult;
}

/** What a client checks, and how large a result may be. */
export interface ResultRules {
  readonly checks: Checks;
  /** Absent: results are limited by `maxMessageBytes` alone. */
  readonly size?: ResultSize | undefined;
}

/**
 * Creates the checks of one client. A tool is checked by its definition in the last list, or not at all where it was
 * never listed. Where the server has said since that its tools changed (`toolChanges` answers how often it did), that
 * definition is known to be old, and what breaks it passes with a warning: the call took effect. Errors and warnings
 * name the server, the tool, the rule and the place, and hold nothing of the content.
 *
 * Spec: server/tools#output-schema, server/tools#structured-content, server/tools#security-considerations (2026-07-28).
 */
export function createResultChecks(
  context: PeerContext,
  { checks, size }: ResultRules,
  toolChanges?: () => number,
): ResultChecks {
  const { outputSchema, agreement, arguments: argumentsCheck } = checks;
  const looksAtSchemas = [checks.schemas, checks.unreadableSchemas, outputSchema, argumentsCheck];
  const needsSchemas = looksAtSchemas.some((reaction) => reaction !== 'off');
  const tools = needsSchemas ? createKnownTools(context, checks, toolChanges) : undefined;
  const warned = new WeakSet<ToolSchemas>();

  return {
    learnTools: (list, changesBefore) => tools?.learn(list, changesBefore) ?? Promise.resolve(list),

    assertCallable(name, args) {
      const known = tools?.find(name);
      if (known === undefined) return;
      assertUsable(name, known);
      warnOfPatterns(name, known);
      const problem = argumentsCheck === 'off' ? undefined : known.checkInput(args);
      if (problem === undefined) return;
      reactByDefinition(
        argumentsCheck,
        () => `the arguments of the tool ${quoted(name)} break its schema. ${problem.message}`,
        'invalid-argument',
      );
    },

    toolResult(name, result, waiting) {
      if (!Array.isArray(result.content)) return result;
      const what = (): string => (name === undefined ? 'a tool' : `the tool ${quoted(name)}`);
      assertDepth(what, result);
      if (result.isError !== true) checkStructured(what, name === undefined ? undefined : tools?.find(name), result);
      const content = withSafeLinks(context, what, result.content);
      const safe = content === result.content ? result : { ...result, content: [...content] };
      return size === undefined ? safe : fitToolResult(context, { what: what(), waiting }, safe, size);
    },

    resource(uri, result) {
      if (!Array.isArray(result.contents)) return result;
      assertSize('resources/read', result);
      const contents = safeOnly(
        context,
        () => 'resources/read',
        result.contents,
        (content) => (isWithin(uri, content.uri) ? undefined : content.uri),
      );
      if (contents === result.contents) return result;
      if (contents.length === 0) throw nothingLeft('resources/read');
      return { ...result, contents: [...contents] };
    },

    prompt(result) {
      if (!Array.isArray(result.messages)) return result;
      assertSize('prompts/get', result);
      const isSafe = ({ content }: GetPromptResult['messages'][number]): boolean =>
        withSafeLinks(context, () => 'prompts/get', [content]).length === 1;
      const messages = result.messages.filter(isSafe);
      if (messages.length === result.messages.length) return result;
      if (messages.length === 0) throw nothingLeft('prompts/get');
      return { ...result, messages };
    },
  };

  function nothingLeft(method: string): ClientError {
    return context.fail(
      'result-rejected',
      `its result of ${method} holds nothing but what has a URL that is not safe to follow, so that nothing is left of it.`,
    );
  }

  function assertUsable(name: string, known: ToolSchemas): void {
    const wasKnown = known.trouble('measured') !== undefined;
    const trouble = known.trouble('compiled');
    const reaction = trouble === undefined ? 'off' : reactionTo(trouble, checks);
    if (trouble === undefined || reaction === 'off') return;
    const { reason, kind } = trouble;
    if (reaction === 'reject') {
      throw context.fail(
        'invalid-argument',
        `the tool ${quoted(name)} cannot be called: ${reason} Only its author can mend that; ` +
          `checks.${kind === 'unreadable' ? 'unreadableSchemas' : 'schemas'} can let it pass unchecked.`,
      );
    }
    // What was found when it was listed has had its warning.
    if (!wasKnown) context.warn('unchecked-tool', `the tool ${quoted(name)} cannot be checked: ${reason}`);
  }

  function checkStructured(what: () => string, known: ToolSchemas | undefined, result: CallToolResult): void {
    const hasStructured = Object.hasOwn(result, 'structuredContent');
    if (outputSchema !== 'off' && known?.checksOutput() === true) {
      if (!hasStructured) {
        return reactByDefinition(
          outputSchema,
          () => `${what()} declares an outputSchema, and its result has no structuredContent.`,
        );
      }
      const problem = known.checkOutput(result.structuredContent);
      if (problem !== undefined) {
        const place = safePlace(problem.path);
        reactByDefinition(
          outputSchema,
          () => `the structuredContent of ${what()} breaks its outputSchema at "${place}" (${problem.rule}).`,
        );
      }
    }
    if (agreement === 'off' || !hasStructured) return;
    const index = findDisagreement(result.content, result.structuredContent, context);
    if (index === undefined) return;
    react(agreement, () => `the text (content[${index}]) and the structuredContent of ${what()} do not agree.`);
  }

  /** What is deeper overflows the stack of whoever recurses over it, from `JSON.stringify` on. */
  function assertDepth(what: () => string, result: object): void {
    if (!isValueDeeperThan(result, MAX_MESSAGE_DEPTH)) return;
    throw context.fail(
      'result-rejected',
      `its result of ${what()} nests deeper than ${MAX_MESSAGE_DEPTH} levels, which nothing can use.`,
    );
  }

  /** Reacts to what breaks the definition of a tool; by one that is known to be old nothing is refused. */
  function reactByDefinition(reaction: Reaction, describe: () => string, code?: 'invalid-argument'): void {
    if (tools?.isStale() === true && reaction === 'reject') {
      react(
        'warn',
        () => `${describe()} It passes, since the server has said that its tools changed: list them again.`,
      );
    } else react(reaction, () => `${describe()} List the tools again where the server may have changed.`, code);
  }

  function react(reaction: Reaction, describe: () => string, code: ClientErrorCode = 'result-rejected'): void {
    if (reaction === 'reject') throw context.fail(code, describe());
    context.warn('rule-broken', describe);
  }

  function warnOfPatterns(name: string, known: ToolSchemas): void {
    if (warned.has(known)) return;
    warned.add(known);
    const patterns = known.uncheckedPatterns();
    if (patterns.length === 0) return;
    context.warn(
      'unchecked-pattern',
      () =>
        `the schemas of the tool ${quoted(name)} hold ${patterns.length} pattern(s) that cannot be checked in linear ` +
        `time, such as ${quoted(patterns[0] ?? '')}; what they would refuse passes.`,
    );
  }

  function assertSize(what: string, result: object): void {
    assertDepth(() => what, result);
    if (size === undefined) return;
    const bytes = sizeOf(result);
    if (bytes > size.maxBytes) throw tooLarge(context, what, bytes, size.maxBytes);
  }
}
