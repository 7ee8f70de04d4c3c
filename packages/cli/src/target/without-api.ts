/** What the client tells a program to do, which a person cannot. */
const API_ADVICE = / (?:Give `input\.|Set input\.).*$/s;
/** The options of the library that raise a limit, with what stands before them. */
const RAISE = /,? (?:or )?raise (?:input\.|resultSize\.)?(\w+)\b/g;

/** What raises a limit on the command line, by the name that the library has for it. */
const flags: { readonly [option: string]: string } = {
  timeoutMs: '--timeout SECONDS',
  maxTimeoutMs: '--timeout SECONDS',
  startTimeoutMs: '--start-timeout SECONDS',
  authorizationTimeoutMs: '--timeout SECONDS',
};

/**
 * Answers a message of the client without what it advises a program to do. Where the verb `hasTimes`, advice to raise a
 * limit of time names the flag that does it.
 */
export function withoutApi(message: string, { hasTimes = false }: { readonly hasTimes?: boolean } = {}): string {
  return message.replace(API_ADVICE, '').replace(RAISE, (said, option: string) => {
    if (!OPTIONS.test(option)) return said;
    const flag = hasTimes ? flags[option] : undefined;
    return flag === undefined ? '' : `, or give it longer with ${flag}`;
  });
}

/** Text from outside may speak of raising something, too. */
const OPTIONS = /^(?:(?:max|start|http|probe|authorization)?[tT]imeoutMs|max(?:Bytes|MessageBytes|Rounds))$/;
