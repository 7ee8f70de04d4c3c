import type { Offers } from './peer.ts';

/** What every server of `servers/` has, whatever it is made with. */
export const ownOffers: Offers = {
  list: {
    tools: ['add', 'steps', 'hang', 'heard', 'touch'],
    resources: ['note://welcome'],
    templates: ['note://{name}/today'],
    prompts: ['greet'],
  },
  call: { tool: 'add', args: { a: 2, b: 3 }, text: '5' },
  read: { 'note://welcome': 'Welcome!', 'note://Ada/today': 'Today for Ada' },
  prompt: { name: 'greet', args: { name: 'Ada' }, text: 'Greet Ada.' },
  complete: {
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'name', value: 'Ad' },
    values: ['Ada', 'Adam'],
  },
  cancel: { tool: 'hang', heard: { tool: 'heard', text: 'heard of it' } },
  progress: { tool: 'steps', text: 'three steps', reports: [1, 2, 3] },
  elicit: {
    tool: 'ask',
    message: 'Whom shall I greet?',
    content: { name: 'Ada' },
    text: 'Hello, Ada!',
  },
  sample: { tool: 'sample', text: 'The model says: Ulm' },
  roots: { tool: 'roots', text: 'file:///matrix' },
  log: { tool: 'log', text: 'logged', logged: ['this', { that: 1 }] },
  follow: { tool: 'touch', text: 'touched', uri: 'note://welcome' },
};
