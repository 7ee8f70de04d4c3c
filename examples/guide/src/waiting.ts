import {
  type Client,
  connect,
  type ConnectOptions,
  type LoadedSkill,
  type SeenTask,
  type Target,
} from '@switchyard/client';

/** Where the ids of tasks outlive this program: a file, a database. */
export interface KeptTasks {
  add(taskId: string): void;
  remove(taskId: string): void;
  all(): readonly string[];
}

/** Reaches a server that may make tasks of calls, and keeps the id of each. */
export function reach(target: Target, kept: KeptTasks, input: NonNullable<ConnectOptions['input']>): Promise<Client> {
  return connect(target, { input, tasks: { onCreated: ({ taskId }) => kept.add(taskId) } });
}

/** Has a report written, and shows how far it is. It may take an hour. */
export async function writeReport(client: Client, quarter: string, show: (line: string) => void): Promise<string> {
  const onUpdate = ({ status, statusMessage = '' }: SeenTask): void => show(`${status} ${statusMessage}`);
  const { task, result } = await client.startTask('write_report', { quarter });
  // A server that needs no task for it has answered already.
  const done = task === undefined ? result : await task.result({ maxTimeoutMs: 3_600_000, onUpdate });
  return done.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Goes on after a restart with what was begun before it, and says what came of each. */
export async function goOn(client: Client, kept: KeptTasks): Promise<readonly string[]> {
  return Promise.all(
    kept.all().map(async (taskId) => {
      try {
        const { isError = false } = await client.task(taskId).result();
        return isError ? 'failed' : 'done';
      } catch {
        // It failed, was cancelled, or is not known any more.
        return 'gone';
      } finally {
        kept.remove(taskId);
      }
    }),
  );
}

/** Loads a skill by its name, when a model asks for it. Nothing of it was read before. */
export async function loadSkill(client: Client, name: string): Promise<LoadedSkill | undefined> {
  const { skills } = await client.listSkills();
  const skill = skills.find(({ frontmatter }) => frontmatter['name'] === name);
  return skill === undefined ? undefined : client.loadSkill(skill);
}
