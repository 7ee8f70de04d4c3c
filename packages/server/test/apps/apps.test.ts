import { extensions } from '@switchyard/protocol';
import { type AppDefinition, createServer, type Server, showsApps } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from '../memory-route.ts';

const MIME_TYPE = 'text/html;profile=mcp-app';
const page = '<!doctype html><title>Orders</title>';
const uri = 'ui://shop/orders';

function create(definition: Partial<AppDefinition> = {}): Server {
  return createServer({ name: 'shop', version: '1.0.0' })
    .ui(uri, { name: 'orders', ...definition }, page)
    .tool('list_orders', { ui: { resourceUri: uri } }, () => 'Two orders');
}

async function entriesOf(
  server: Server,
  method: string,
  member: string,
): Promise<readonly { readonly _meta?: object }[]> {
  return (await openMemory(server).request(method)).result?.[member] as { _meta?: object }[];
}

describe('an app', () => {
  it('[EXT-10] is a resource of its MIME type, and says what it may use in the list and in what is read', async () => {
    const server = create({
      description: 'Shows orders',
      csp: { connectDomains: ['https://api.shop.example'], resourceDomains: ['https://*.cdn.example:8443'] },
      permissions: ['clipboardWrite'],
      prefersBorder: true,
      domain: 'shop.apps.example',
      meta: { 'com.example/owner': 'shop' },
    });
    const ui = {
      csp: { connectDomains: ['https://api.shop.example'], resourceDomains: ['https://*.cdn.example:8443'] },
      permissions: { clipboardWrite: {} },
      domain: 'shop.apps.example',
      prefersBorder: true,
    };
    expect(await entriesOf(server, 'resources/list', 'resources')).toEqual([
      {
        uri,
        name: 'orders',
        description: 'Shows orders',
        mimeType: MIME_TYPE,
        _meta: { 'com.example/owner': 'shop', ui },
      },
    ]);
    const { result } = await openMemory(server).request('resources/read', { uri });
    expect(result?.['contents']).toEqual([{ uri, mimeType: MIME_TYPE, text: page, _meta: { ui } }]);
  });

  it('needs no more than a page, which a function may make for each read', async () => {
    const server = createServer({ name: 'shop', version: '1.0.0' }).ui(
      uri,
      { name: 'orders' },
      async ({ principal }) => `<!doctype html><p>${principal?.subject ?? 'nobody'}`,
    );
    const { result } = await openMemory(server, { principal: { subject: 'ada' } }).request('resources/read', { uri });
    expect(result?.['contents']).toEqual([{ uri, mimeType: MIME_TYPE, text: '<!doctype html><p>ada' }]);
  });

  it.each<[string, string, object, RegExp]>([
    ['another scheme', 'https://shop.example', {}, /must begin with ui:/],
    ['an origin with a path', uri, { csp: { connectDomains: ['https://a.example/x'] } }, /must hold origins/],
    [
      'an origin that adds a rule',
      uri,
      { csp: { resourceDomains: ["https://a.example; script-src 'unsafe-eval'"] } },
      /must hold origins/,
    ],
    ['every origin', uri, { csp: { frameDomains: ['*'] } }, /must hold origins/],
    ['a port that is none', uri, { csp: { connectDomains: ['https://a.example:99999'] } }, /must hold origins/],
    ['an origin that is no text', uri, { csp: { connectDomains: [7] } }, /must hold origins .*, not 7/],
    ['one origin in place of a list', uri, { csp: { connectDomains: 'https://a.example' } }, /must be a list/],
    ['a domain that adds a rule', uri, { domain: 'a.example; script-src *' }, /the domain must be/],
    ['an unknown kind of origin', uri, { csp: { scripts: ['https://a.example'] } }, /no option "scripts"/],
    ['an unknown permission', uri, { permissions: ['usb'] }, /there is no permission "usb"/],
    ['metadata of its own under ui', uri, { meta: { ui: {} } }, /the meta key "ui"/],
    ['no origins where there could be some', uri, { csp: null }, /an object is needed here, not null/],
    ['no list of permissions', uri, { permissions: 'camera' }, /permissions must be a list/],
    ['nothing among the permissions', uri, { permissions: [undefined] }, /there is no permission undefined/],
    ['a permission that is no text', uri, { permissions: [7] }, /there is no permission 7/],
    ['a domain that is no text', uri, { domain: 7 }, /the domain must be/],
    ['a border that is neither drawn nor not', uri, { prefersBorder: 'yes' }, /prefersBorder must be true or false/],
  ])('[EXT-10] is refused with %s', (_what, at, definition, message) => {
    const server = createServer({ name: 'shop', version: '1.0.0' });
    expect(() => server.ui(at, { name: 'orders', ...definition }, page)).toThrow(message);
  });

  it('is refused without a page', () => {
    for (const none of [undefined, null, 7, {}])
      expect(() => createServer({ name: 'shop', version: '1.0.0' }).ui(uri, { name: 'orders' }, none as never)).toThrow(
        /the page, which comes last, must be a text or a function/,
      );
  });
});

describe('a tool with an app', () => {
  it('[EXT-10] [EXT-11] names it in its metadata, and answers text to everybody', async () => {
    const server = create();
    expect(await entriesOf(server, 'tools/list', 'tools')).toMatchObject([{ _meta: { ui: { resourceUri: uri } } }]);
    expect(await openMemory(server).call('list_orders')).toMatchObject({
      content: [{ type: 'text', text: 'Two orders' }],
    });
  });

  it('[EXT-10] says who may call it, and may be there for the app alone', async () => {
    const server = create().tool('refresh', { ui: { visibility: ['app'] }, meta: { 'com.example/x': 1 } }, () => '');
    const tools = await entriesOf(server, 'tools/list', 'tools');
    expect(tools.map(({ _meta }) => _meta)).toEqual([
      { ui: { resourceUri: uri } },
      { 'com.example/x': 1, ui: { visibility: ['app'] } },
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['another scheme', { ui: { resourceUri: 'https://shop.example' } }, /resourceUri must begin with ui:/],
    ['a URI that is no text', { ui: { resourceUri: 7 } }, /resourceUri must begin with ui:/],
    ['nothing in the place of its URI', { ui: { resourceUri: null } }, /resourceUri must begin with ui:/],
    ['one caller in place of a list', { ui: { visibility: 'app' } }, /visibility must name/],
    ['nobody who may call it', { ui: { visibility: [] } }, /visibility must name/],
    ['an unknown caller', { ui: { visibility: ['user'] } }, /visibility must name/],
    ['a name that is spelled otherwise', { ui: { resourceURI: uri } }, /did you mean "resourceUri"/],
    ['metadata of its own under ui', { ui: { resourceUri: uri }, meta: { ui: {} } }, /the meta key "ui"/],
  ])('[EXT-10] is refused with %s', (_what, definition, message) => {
    expect(() => create().tool('t', definition, () => '')).toThrow(message);
  });

  it.each<[string, (server: Server) => Server, RegExp]>([
    ['that there is not', (server) => server, /is no resource of the server/],
    [
      'that is another resource',
      (server) => server.resource('ui://shop/gone', { name: 'text', mimeType: 'text/html' }, () => page),
      /is a resource of the type text\/html/,
    ],
  ])('[EXT-10] is not served with an app %s', (_what, define, message) => {
    const server = define(create().tool('t', { ui: { resourceUri: 'ui://shop/gone' } }, () => ''));
    expect(() => server.endpoint()).toThrow(message);
    expect(() => server.endpoint()).toThrow(/tool t/);
  });

  it('may be linked to an app of a template', async () => {
    const server = createServer({ name: 'shop', version: '1.0.0' })
      .resourceTemplate('ui://shop/{view}', { name: 'views', mimeType: MIME_TYPE }, () => page)
      .tool('t', { ui: { resourceUri: 'ui://shop/orders' } }, () => '');
    expect(server.endpoint().capabilities.tools).toBeDefined();
  });
});

describe('the extension for apps', () => {
  it('[EXT-01] is offered by servers with apps alone', async () => {
    const { result } = await openMemory(create()).request('server/discover');
    expect(result?.['capabilities']).toMatchObject({ extensions: { [extensions.apps]: { mimeTypes: [MIME_TYPE] } } });
    const plain = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    expect((await openMemory(plain).request('server/discover')).result?.['capabilities']).not.toHaveProperty(
      'extensions',
    );
  });

  it.each([
    [{ extensions: { [extensions.apps]: { mimeTypes: [MIME_TYPE] } } }, true],
    [{ extensions: { [extensions.apps]: { mimeTypes: ['text/uri-list'] } } }, false],
    [{ extensions: { [extensions.apps]: {} } }, false],
    [{ extensions: {} }, false],
    [{}, false],
  ])('is what a client declares that shows apps: %j is %s', (capabilities, shows) => {
    expect(showsApps(capabilities)).toBe(shows);
  });
});
