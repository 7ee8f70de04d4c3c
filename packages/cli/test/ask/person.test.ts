import { describe, expect, it } from 'vitest';
import { orderSchema, serveShop } from './shop.ts';
import { CTRL_C, ENTER, type Script, sitAt } from './typing-person.ts';

const CLEAR = '\u0015';

/** The shortest way through the form. */
const filledIn: Script = [
  [/Size \(required, one of 1 to 2\)/, `2${ENTER}`],
  [/Count \(optional, whole number\) \[2\]/, ENTER],
  [/Weight \(optional, number\)/, ENTER],
  [/Gift \(optional, yes or no\) \[no\]/, ENTER],
  [/Extras \(optional, any of 1 to 3, with commas\)/, ENTER],
  [/Mail \(required, text, email\)/, `a@b.example${ENTER}`],
  [/Note \(optional, text\) \[none so far\]/, ENTER],
];

describe('a person at the terminal', () => {
  it('is told who asks, during what and why, and fills in the form field by field', async () => {
    const url = await serveShop();
    const sat = await sitAt(['call', 'order', 'id=A-1', '--url', url], [...filledIn, [/Send it to http/, `a${ENTER}`]]);
    expect(sat).toMatchObject({ exitCode: 0, left: 0 });
    expect(sat.shown).toContain(
      `The server "${url}" (untrusted) asks, before it goes on with the tool "order" with {"id":"A-1"}:\n` +
        '  | What do you want?\n  | Be exact.\n',
    );
    expect(sat.shown).toContain('  1  Medium (m)\n  2  Large (l)\n');
    expect(JSON.parse(sat.stdout)).toEqual({
      action: 'accept',
      content: { size: 'l', count: 2, gift: false, mail: 'a@b.example', note: 'none so far' },
    });
  });

  it.each<[string, string, RegExp, string, unknown]>([
    ['count', '12', /rule "maximum"/, '3', 3],
    ['count', '1.5', /Write a whole number/, '3', 3],
    ['count', '99999999999999999999', /rule "maximum"/, '3', 3],
    ['weight', 'heavy', /Write a number/, '1.5', 1.5],
    ['gift', 'maybe', /Write yes or no/, 'YES', true],
    ['extras', '1,boq', /Did you mean bo/, '1, bow, 1', ['bag', 'bow']],
    ['size', 'xl', /Write a number from 1 to 2, or a choice/, 'medium', 'm'],
    ['mail', 'nobody', /format "email"/, 'x@y.example', 'x@y.example'],
    ['mail', '', /It is required/, 'x@y.example', 'x@y.example'],
  ])('tries the field %s again after %j', async (name, wrong, problem, right, value) => {
    const field = Object.keys(orderSchema.properties).indexOf(name);
    const script = filledIn.flatMap<Script[number]>((step, index) =>
      index === field
        ? [
            [step[0], `${wrong}${ENTER}`],
            [problem, `${CLEAR}${right}${ENTER}`],
          ]
        : [step],
    );
    const sat = await sitAt(['call', 'order', '--url', await serveShop()], [...script, [/Send it to/, `a${ENTER}`]]);
    expect(sat.left).toBe(0);
    expect(JSON.parse(sat.stdout)).toMatchObject({ action: 'accept', content: { [name]: value } });
  });

  it('changes a field, and leaves one out, in the form as it is shown before it is sent', async () => {
    const sat = await sitAt(
      ['call', 'order', '--url', await serveShop()],
      [
        ...filledIn,
        [/Send it to/, `c${ENTER}`],
        [/Which field\? \(1 to 7\)/, `9${ENTER}`],
        [/Write a number from 1 to 7/, `${CLEAR}1${ENTER}`],
        [/Size \(required, one of 1 to 2\) \[Large\]/, `1${ENTER}`],
        [/Send it to/, `c${ENTER}`],
        [/Which field/, `4${ENTER}`],
        [/Gift \(optional, yes or no\) \[no\]/, `-${ENTER}`],
        [/1 {2}Size {4}Medium\n[\s\S]*4 {2}Gift {4}\(left out\)\n[\s\S]*Send it to/, `a${ENTER}`],
      ],
    );
    expect(sat.left).toBe(0);
    expect(JSON.parse(sat.stdout)).toMatchObject({ action: 'accept', content: { size: 'm' } });
  });

  it.each<[string, Script, string]>([
    ['declines', [...filledIn, [/Send it to/, `d${ENTER}`]], 'decline'],
    ['cancels', [...filledIn, [/Send it to/, `x${ENTER}`]], 'cancel'],
    ['cancels with Ctrl-C in a field', [...filledIn.slice(0, 2), [/Weight/, CTRL_C]], 'cancel'],
    ['cancels with Ctrl-C at the end', [...filledIn, [/Send it to/, CTRL_C]], 'cancel'],
  ])('%s, and the call goes on', async (_, script, action) => {
    const sat = await sitAt(['call', 'order', '--url', await serveShop()], script);
    expect(sat).toMatchObject({ exitCode: 0, left: 0, interrupted: false });
    expect(JSON.parse(sat.stdout)).toEqual({ action });
  });

  it('ends the command with a second Ctrl-C', async () => {
    const sat = await sitAt(
      ['call', 'agree', '--url', await serveShop()],
      [
        [/Sure\?[\s\S]*Yes \(required/, CTRL_C],
        [/Really\?[\s\S]*Yes \(required/, CTRL_C],
      ],
    );
    expect(sat).toMatchObject({ exitCode: 130, left: 0, interrupted: true, stdout: '' });
  });

  it('is asked one question after the other where two come at once', async () => {
    const sat = await sitAt(
      ['call', 'both', '--url', await serveShop()],
      [
        [/The first\?[\s\S]*Yes \(required/, `yes${ENTER}`],
        [/Send it to/, `a${ENTER}`],
        [/The second\?[\s\S]*Yes \(required/, CTRL_C],
      ],
    );
    expect(sat).toMatchObject({ exitCode: 0, left: 0, stdout: 'accept cancel\n' });
    expect(sat.shown.indexOf('The second?')).toBeGreaterThan(sat.shown.indexOf('accept: send it'));
  });

  it('gives a prompt its answers, too', async () => {
    const sat = await sitAt(
      ['prompt', 'greet', '--url', await serveShop()],
      [
        [/goes on with the prompt "greet"[\s\S]*Name \(required, text\)/, `Ada${ENTER}`],
        [/Send it to/, `a${ENTER}`],
      ],
    );
    expect(sat).toMatchObject({ exitCode: 0, left: 0, stdout: expect.stringContaining('Greet Ada') });
  });

  it('is told of a form for secrets, which is declined without him', async () => {
    const sat = await sitAt(['call', 'log_in', '--url', await serveShop()], []);
    expect(sat).toMatchObject({ exitCode: 0, stdout: 'decline\n' });
    expect(sat.shown).toMatch(/warning: .*looks secret: "iban"\. It was declined without being shown/);
    expect(sat.shown).not.toMatch(/input\.allows/);
  });

  it.each([[['--no-input']], [['--json']]])('is not asked with %j', async (flags) => {
    const sat = await sitAt(['call', 'order', '--url', await serveShop(), ...flags], []);
    expect(sat.exitCode).toBe(2);
    expect(sat.shown + sat.stdout).toMatch(/Nobody was there to be asked.*--no-input, or give --answers/);
  });
});

describe('a page that a server wants opened', () => {
  const pageUrl = 'https://xn--pypal-4ve.example/pay?a=1';

  it('is shown in full with what is doubtful of it, and is not opened', async () => {
    const sat = await sitAt(
      ['call', 'pay', '--url', await serveShop()],
      [
        [/Open the page of xn--pypal-4ve\.example\?/, `y${ENTER}`],
        [/Are you done there\?/, `y${ENTER}`],
      ],
      // A browser that is opened all the same would say so.
      { env: { NO_COLOR: '1', PATH: '/nowhere' } },
    );
    expect(sat).toMatchObject({ exitCode: 0, left: 0, stdout: 'accept\n' });
    expect(sat.shown).toContain(`\n${pageUrl}\n`);
    expect(sat.shown).toMatch(/warning: The host is written with letters outside ASCII/);
    expect(sat.shown).not.toContain('could not be started');
  });

  it('has its host emphasised on a terminal with colours', async () => {
    const raw: string[] = [];
    const options = { env: {}, onRaw: (text: string) => raw.push(text) };
    await sitAt(['call', 'pay', '--url', await serveShop()], [[/Open the page of/, `d${ENTER}`]], options);
    expect(raw.join('')).toContain('https://\u001b[1mxn--pypal-4ve.example\u001b[22m/pay?a=1');
  });

  it('is opened in the browser when he says so; without one he opens it himself', async () => {
    const sat = await sitAt(
      ['call', 'pay', '--url', await serveShop()],
      [
        [/Open the page of/, `o${ENTER}`],
        [/could not be started \(ENOENT\)\. Open the page yourself[\s\S]*Are you done there\?/, `y${ENTER}`],
      ],
      { env: { NO_COLOR: '1', PATH: '/nowhere' } },
    );
    expect(sat).toMatchObject({ exitCode: 0, left: 0, stdout: 'accept\n' });
  });

  it.each<[Script, string]>([
    [[[/Open the page/, `d${ENTER}`]], 'decline'],
    [[[/Open the page/, `x${ENTER}`]], 'cancel'],
    [[[/Open the page/, CTRL_C]], 'cancel'],
    [
      [
        [/Open the page/, `y${ENTER}`],
        [/Are you done/, `x${ENTER}`],
      ],
      'cancel',
    ],
  ])('is not consented to otherwise (%#)', async (script, action) => {
    const sat = await sitAt(['call', 'pay', '--url', await serveShop()], script);
    expect(sat).toMatchObject({ exitCode: 0, left: 0, stdout: `${action}\n` });
  });
});
