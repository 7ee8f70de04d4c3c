import type { Tool } from '@switchyard/protocol';
import type { WholeList } from './whole-list.ts';
import type { Clock } from '../peer/clock.ts';
import { quoted } from '../peer/excerpt.ts';
import type { LeftOut } from '../peer/left-out.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Checks, Reaction } from './check-options.ts';
import {
  loadSchemaTools,
  measureTool,
  type SchemaTools,
  type SchemaTrouble,
  type ToolSchemas,
} from './tool-schemas.ts';

/** The tools of the last list, with their schemas. */
export interface KnownTools {
  /**
   * Learns a whole list and answers it without the tools whose schemas cannot be used. Later calls of {@link find} see
   * this list alone. The same array of entries is not looked at twice. `changesBefore` is how often the server had said
   * that its tools changed when the list was asked for. Default: as often as by now.
   */
  learn(list: WholeList<Tool>, changesBefore?: number): Promise<WholeList<Tool>>;
  /** Answers the schemas of a tool, those that cannot be used included; `undefined` for one that was not listed. */
  find(name: string): ToolSchemas | undefined;
  /** Whether the server said since the list was asked for that its tools changed. */
  isStale(): boolean;
}

/** How long schemas are measured without letting anything else run. */
const SLICE_MS = 20;

/**
 * Creates the memory of a server's tools. Schemas are measured when they are learned, and kept over lists that repeat
 * them. Measuring a list of many megabytes is done in slices, so that deadlines hold meanwhile. `changeCount` answers how
 * often the server has said that its tools changed; by default nothing is known of that.
 */
export function createKnownTools(
  context: PeerContext,
  checks: Checks,
  changeCount: () => number = () => 0,
): KnownTools {
  let known: ReadonlyMap<string, ToolSchemas> = new Map();
  let tools: SchemaTools | undefined;
  let learnedAt = changeCount();
  let begun = 0;
  let learnedAs = 0;
  const learned = new WeakMap<readonly Tool[], WholeList<Tool>>();
  const schemasOf = new WeakMap<readonly Tool[], ReadonlyMap<string, ToolSchemas>>();

  return { learn, find: (name) => known.get(name), isStale: () => changeCount() !== learnedAt };

  async function learn(list: WholeList<Tool>, changesBefore = changeCount()): Promise<WholeList<Tool>> {
    begun += 1;
    const turn = begun;
    const before = learned.get(list.entries);
    if (before !== undefined) {
      know(schemasOf.get(list.entries) ?? known, changesBefore, turn);
      return { ...list, entries: before.entries, leftOut: before.leftOut };
    }
    tools ??= await loadSchemaTools(checks.schemaLimits);
    const next = await measureAll(list.entries, tools);
    know(next, changesBefore, turn);
    const usable = withoutUnusable(list, next);
    learned.set(list.entries, usable);
    schemasOf.set(list.entries, next);
    return usable;
  }

  /** Of two lists that are measured at once the one that came later counts. */
  function know(schemas: ReadonlyMap<string, ToolSchemas>, changesBefore: number, turn: number): void {
    if (turn < learnedAs) return;
    learnedAs = turn;
    known = schemas;
    // What was said while a long list was on its way, or measured, is news.
    learnedAt = changesBefore;
  }

  async function measureAll(
    entries: readonly Tool[],
    schemaTools: SchemaTools,
  ): Promise<ReadonlyMap<string, ToolSchemas>> {
    const last = known;
    const next = new Map<string, ToolSchemas>();
    let until = context.clock.now() + SLICE_MS;
    for (const entry of entries) {
      const kept = last.get(entry.name);
      next.set(entry.name, kept?.isOf(entry) === true ? kept : measureTool(entry, schemaTools));
      if (context.clock.now() < until) continue;
      await turn(context.clock);
      until = context.clock.now() + SLICE_MS;
    }
    return next;
  }

  function withoutUnusable(list: WholeList<Tool>, schemas: ReadonlyMap<string, ToolSchemas>): WholeList<Tool> {
    const leftOut: LeftOut[] = [];
    const entries = list.entries.filter(({ name }) => {
      const trouble = schemas.get(name)?.trouble('measured');
      const reaction = trouble === undefined ? 'off' : reactionTo(trouble, checks);
      if (trouble === undefined || reaction === 'off') return true;
      const { reason } = trouble;
      const shown = quoted(name);
      const stays = reaction === 'warn';
      if (!stays) leftOut.push({ name: shown.slice(1, -1), reason });
      context.warn(
        stays ? 'unchecked-tool' : 'entry-left-out',
        `the tool ${shown} ${stays ? 'cannot be checked' : 'is left out'}: ${reason}`,
      );
      return stays;
    });
    return leftOut.length === 0 ? list : { ...list, entries, leftOut: [...list.leftOut, ...leftOut] };
  }
}

/** Answers what happens with a tool whose schemas have a trouble. */
export function reactionTo({ kind }: SchemaTrouble, checks: Checks): Reaction {
  return kind === 'unreadable' ? checks.unreadableSchemas : checks.schemas;
}

function turn(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(0, resolve);
  });
}
