import type { CreateMessageParams } from '@switchyard/protocol';

/** One model that can be asked. Grades go from 0 to 1, the more the better; 0.5 where absent. */
export interface AvailableModel {
  readonly name: string;
  /** 1: costs next to nothing. */
  readonly cheapness?: number;
  readonly speed?: number;
  readonly intelligence?: number;
}

/**
 * Chooses a model by the preferences of a server: the first hint, in its order, that is part of a model's name
 * (whatever the case) decides; among several that match, or where no hint does, the priorities weigh the grades, and
 * of equals the first one available is taken. Answers `undefined` where none is available. A preference is a wish:
 * whatever is left out of `available` is never chosen.
 *
 * Spec: client/sampling#model-preferences (2026-07-28).
 */
export function chooseModel<M extends AvailableModel>(
  preferences: CreateMessageParams['modelPreferences'],
  available: readonly M[],
): M | undefined {
  for (const { name } of preferences?.hints ?? []) {
    if (name === undefined || name === '') continue;
    const matching = available.filter((model) => model.name.toLowerCase().includes(name.toLowerCase()));
    if (matching.length > 0) return best(preferences, matching);
  }
  return best(preferences, available);
}

function best<M extends AvailableModel>(
  preferences: CreateMessageParams['modelPreferences'],
  models: readonly M[],
): M | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences ?? {};
  const gradeOf = ({ cheapness = 0.5, speed = 0.5, intelligence = 0.5 }: M): number =>
    costPriority * cheapness + speedPriority * speed + intelligencePriority * intelligence;
  let chosen: M | undefined;
  for (const model of models) if (chosen === undefined || gradeOf(model) > gradeOf(chosen)) chosen = model;
  return chosen;
}
