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
import type { PeerContext } from '../peer/peer-context.ts';
import { findDisagreement } from './agreement.ts';
import type { Checks, Reaction } from './check-options.ts';
import { createKnownTools } from './known-tools.ts';
import { fitToolResult, type SizeLimit, sizeOf, tooLarge } from './result-size.ts';
import { safeOnly, withSafeLinks } from './safe-links.ts';
import { safePlace } from './safe-place.ts';
import type { ToolSchemas } from './tool-schemas.ts';

/** What stands between a server's word and whoever asked for it. */
export interface ResultChecks {
  /** Learns the tools, and leaves those out whose schemas cannot be used. */
  learnTools(list: WholeList<Tool>): Promise<WholeList<Tool>>;
  /** Throws a `ClientError` with code `invalid-argument` for a call that is not to be sent. */
  assertCallable(name: string, args: JsonObject): void;
  /** Answers the result of a tool, without unsafe links and within the limits. Throws `result-rejected`. */
  toolResult(name: string, result: CallToolResult): CallToolResult | Promise<CallToolResult>;
  /** The same for a resource, whose contents cannot be links, so that a large one is always refused. */
  resource(result: ReadResourceResult): ReadResourceResult;
  /** The same for a prompt. */
  prompt(result: GetPromptResult): GetPromptResult;
}

/** What a client checks, and how large a result may be. */
export interface ResultRules {
  readonly checks: Checks;
  /** Absent: results are limited by `maxMessageBytes` alone. */
  readonly size?: SizeLimit | undefined;
}

/**
 * Creates the checks of one client. A tool is checked by its definition in the last list, or not at all where it was
 * never listed. Errors and warnings name the server, the tool, the rule and the place, and hold nothing of the content.
 *
 * Spec: server/tools#output-schema, server/tools#structured-content, server/tools#security-considerations (2026-07-28).
 */
export function createResultChecks(context: PeerContext, { checks, size }: ResultRules): ResultChecks {
  const { schemas, outputSchema, agreement, arguments: argumentsCheck } = checks;
  const needsSchemas = schemas !== 'off' || outputSchema !== 'off' || argumentsCheck !== 'off';
  const tools = needsSchemas ? createKnownTools(context, checks) : undefined;
  const warned = new WeakSet<ToolSchemas>();

  return {
    learnTools: (list) => tools?.learn(list) ?? Promise.resolve(list),

    assertCallable(name, args) {
      const known = tools?.find(name);
      if (known === undefined) return;
      const unusable = known.whyUnusable('compiled');
      if (unusable !== undefined) {
        if (schemas !== 'reject') return;
        throw context.fail(
          'invalid-argument',
          `the tool ${quoted(name)} cannot be called: ${unusable} Only its author can mend that; checks.schemas ` +
            'can let it pass unchecked.',
        );
      }
      warnOfPatterns(name, known);
      const problem = argumentsCheck === 'off' ? undefined : known.checkInput(args);
      if (problem === undefined) return;
      react(
        argumentsCheck,
        () => `the arguments of the tool ${quoted(name)} break its schema. ${problem.message}`,
        true,
      );
    },

    toolResult(name, result) {
      if (!Array.isArray(result.content)) return result;
      const what = (): string => `the tool ${quoted(name)}`;
      assertDepth(what, result);
      if (result.isError !== true) checkStructured(what, tools?.find(name), result);
      const content = withSafeLinks(context, what, result.content);
      const safe = content === result.content ? result : { ...result, content: [...content] };
      return size === undefined ? safe : fitToolResult(context, what(), safe, size);
    },

    resource(result) {
      if (!Array.isArray(result.contents)) return result;
      assertSize('resources/read', result);
      const contents = safeOnly(
        context,
        () => 'resources/read',
        result.contents,
        ({ uri }) => uri,
      );
      return contents === result.contents ? result : { ...result, contents: [...contents] };
    },

    prompt(result) {
      if (!Array.isArray(result.messages)) return result;
      assertSize('prompts/get', result);
      const isSafe = ({ content }: GetPromptResult['messages'][number]): boolean =>
        withSafeLinks(context, () => 'prompts/get', [content]).length === 1;
      return result.messages.every(isSafe) ? result : { ...result, messages: result.messages.filter(isSafe) };
    },
  };

  function checkStructured(what: () => string, known: ToolSchemas | undefined, result: CallToolResult): void {
    const hasStructured = Object.hasOwn(result, 'structuredContent');
    if (outputSchema !== 'off' && known?.checkOutput !== undefined && known.whyUnusable('compiled') === undefined) {
      if (!hasStructured) {
        return react(
          outputSchema,
          () => `${what()} declares an outputSchema, and its result has no structuredContent.`,
        );
      }
      const problem = known.checkOutput(result.structuredContent);
      if (problem !== undefined) {
        const place = safePlace(problem.path);
        react(
          outputSchema,
          () =>
            `the structuredContent of ${what()} breaks its outputSchema at "${place}" (${problem.rule}). ` +
            'List the tools again where the server may have changed.',
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

  function react(reaction: Reaction, describe: () => string, isCallers = false): void {
    if (reaction === 'reject') throw context.fail(isCallers ? 'invalid-argument' : 'result-rejected', describe());
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
