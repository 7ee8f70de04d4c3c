import type { Ask, FormContent, FormField, InputHandlers } from '@switchyard/client';

/** A person at a terminal: sees a text and answers a line. */
export type Person = (text: string) => Promise<string>;

/** Handlers that put what a server asks to a person. Whatever he does not understand, he declines. */
export function handlersFor(person: Person, openPage: (url: string) => Promise<void>): InputHandlers {
  return {
    async elicitForm(ask) {
      const content: { [field: string]: FormContent[string] } = { ...ask.prefill() };
      for (const field of ask.fields) {
        const line = await person(`${whoAsks(ask)}: ${ask.message}\n${describe(field, content[field.name])}`);
        if (line !== '') content[field.name] = read(field, line);
      }
      // He sees everything once more before it leaves.
      const choice = await person(`Send ${JSON.stringify(content)} to ${ask.server}? yes, no, or stop`);
      if (choice === 'stop') return { action: 'cancel' };
      return choice === 'yes' ? { action: 'accept', content } : { action: 'decline' };
    },

    async elicitUrl(ask) {
      const doubts = ask.concerns.length === 0 ? '' : ` Beware: ${ask.concerns.join(', ')}.`;
      const choice = await person(`${whoAsks(ask)}: ${ask.message}\n${ask.host}: ${ask.url}${doubts} Open? yes or no`);
      if (choice !== 'yes') return { action: 'decline' };
      await openPage(ask.url);
      return (await person('Done there? yes, or stop')) === 'yes' ? { action: 'accept' } : { action: 'cancel' };
    },
  };
}

function whoAsks({ server, trust, interrupts }: Ask): string {
  return `${server} (${trust}) asks${interrupts === undefined ? '' : ` during ${interrupts.name ?? interrupts.method}`}`;
}

function describe(
  { title, description = '', isRequired, options }: FormField,
  preset: FormContent[string] | undefined,
): string {
  const choices = options === undefined ? '' : ` one of ${options.map(({ value }) => value).join(', ')}`;
  const given = preset === undefined ? '' : ` [${String(preset)}]`;
  return `${title}${isRequired ? '' : ' (optional)'} ${description}${choices}${given}`;
}

function read({ type }: FormField, line: string): FormContent[string] {
  if (type === 'number' || type === 'integer') return Number(line);
  if (type === 'boolean') return line === 'yes';
  return type === 'choices' ? line.split(',') : line;
}
