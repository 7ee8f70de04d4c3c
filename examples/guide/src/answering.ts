import type { Ask, FormContent, FormField, InputHandlers } from '@switchyard/client';

/** A person at a terminal: sees a text and answers a line. */
export type Person = (text: string) => Promise<string>;

/** Handlers that put what a server asks to a person. A line that is no value of its field declines the form. */
export function handlersFor(person: Person, openPage: (url: string) => Promise<void>): InputHandlers {
  return {
    async elicitForm(ask) {
      const content: { [field: string]: FormContent[string] } = { ...ask.prefill() };
      for (const field of ask.fields) {
        const line = await person(`${whoAsks(ask)}: ${ask.message}\n${describe(field, content[field.name])}`);
        if (line === '') continue;
        const value = read(field, line);
        if (value === undefined) return { action: 'decline' };
        content[field.name] = value;
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

function read({ type, options = [] }: FormField, line: string): FormContent[string] | undefined {
  const isOption = (text: string): boolean => options.some(({ value }) => value === text);
  switch (type) {
    case 'number':
    case 'integer':
      return Number.isFinite(Number(line)) ? Number(line) : undefined;
    case 'boolean':
      return ['yes', 'no'].includes(line) ? line === 'yes' : undefined;
    case 'choice':
      return isOption(line) ? line : undefined;
    case 'choices': {
      const chosen = line.split(',').map((text) => text.trim());
      return chosen.every(isOption) ? chosen : undefined;
    }
    default:
      return line;
  }
}
