import { deepFreeze } from './deep-freeze.ts';
import { HEADER_NAME_PATTERN } from './header-field.ts';
import type { ConfigurationSchema } from './schema-type.ts';
import { MAX_NAME_CHARS, NAME_PATTERN, NAME_RULE } from './configured-name.ts';

const MAX_TIMEOUT_MS = 86_400_000;
const MAX_BYTES = 1_073_741_824;

const name = { maxLength: MAX_NAME_CHARS, pattern: NAME_PATTERN, patternErrorMessage: NAME_RULE } as const;

const httpTypes = ['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote'] as const;

const server = {
  type: 'object',
  description:
    'One MCP server: a program to start (command) or a remote one (url). In every text but type, ${NAME}, ${env:NAME} and ${NAME:-default} are replaced from the environment; $$ stands for one dollar sign.',
  properties: {
    type: {
      type: 'string',
      enum: ['stdio', ...httpTypes],
      description: 'The transport. It follows from command or url, so it may be left out.',
      'x-otherNames': ['transport'],
    },
    command: {
      type: 'string',
      minLength: 1,
      description: 'The program to start. It is run without a shell, so arguments belong in args.',
      'x-otherNames': ['cmd', 'program'],
    },
    args: {
      type: 'array',
      items: { type: 'string', description: 'One argument, passed as it is.' },
      maxItems: 1000,
      description: 'The arguments of the program. They stand in process lists: secrets belong in env.',
      'x-otherNames': ['argv'],
    },
    env: {
      type: 'object',
      propertyNames: {
        maxLength: 256,
        pattern: '^[^=\\u0000]+$',
        patternErrorMessage: 'must not be empty or hold an equals sign',
      },
      additionalProperties: { type: 'string', description: 'The value of the variable.' },
      maxProperties: 1000,
      description: 'Variables for the program, on top of a minimal environment.',
    },
    cwd: {
      type: 'string',
      minLength: 1,
      description: "The program's working directory, relative to the configuration file. Default: that file's folder.",
      'x-otherNames': ['workingDirectory'],
    },
    url: {
      type: 'string',
      minLength: 1,
      description: 'The endpoint of a remote server, with http or https.',
      'x-otherNames': ['serverUrl', 'httpUrl', 'endpoint'],
    },
    headers: {
      type: 'object',
      propertyNames: {
        maxLength: 256,
        pattern: HEADER_NAME_PATTERN,
        patternErrorMessage: 'is no name of an HTTP header',
      },
      additionalProperties: { type: 'string', description: 'The value of the header.' },
      maxProperties: 100,
      description: 'HTTP headers for every request to the remote server, such as Authorization: Bearer ${TOKEN}.',
    },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_TIMEOUT_MS,
      description: 'How long one call may take, in milliseconds. Default: limits.callTimeoutMs.',
    },
    disabled: {
      type: 'boolean',
      description: 'true leaves the server out: it is not started, and its variables need not be set. Default: false.',
      'x-otherNames': ['enabled'],
    },
  },
  additionalProperties: false,
  dependencies: { args: ['command'], env: ['command'], cwd: ['command'], headers: ['url'] },
  oneOf: [
    { required: ['command'], properties: { type: { enum: ['stdio'] } } },
    { required: ['url'], properties: { type: { enum: httpTypes } } },
  ],
} as const satisfies ConfigurationSchema;

const accessEntries = {
  type: 'array',
  items: {
    type: 'string',
    maxLength: 1024,
    pattern: String.raw`^(?:(?:tool:|prompt:)?[^:\p{Cc}]+|resource:[^\p{Cc}]+)$`,
    patternErrorMessage:
      'is no access entry; expected a pattern such as orders__*, tool:orders__get_*, prompt:orders__review or resource:orders:*',
    description:
      'A pattern over exposed names, with * for any characters: orders__get_* (a tool), tool:…, prompt:orders__review, or resource:orders:file:///* (server, then URI).',
  },
  maxItems: 1000,
  default: [],
} as const;

const agent = {
  type: 'object',
  description: 'Who may call what. Nothing is allowed unless an entry says so; deny beats ask, ask beats allow.',
  properties: {
    description: { type: 'string', maxLength: 1024, description: 'What this agent is for, in a few words.' },
    allow: {
      ...accessEntries,
      description: 'What the agent may use.',
      'x-otherNames': ['autoApprove', 'alwaysAllow', 'permit'],
    },
    ask: { ...accessEntries, description: 'What the agent may use once somebody approved the call.' },
    deny: { ...accessEntries, description: 'What the agent may never use.', 'x-otherNames': ['forbid', 'block'] },
  },
  additionalProperties: false,
} as const satisfies ConfigurationSchema;

const gateway = {
  type: 'object',
  description: 'The MCP endpoint that switchyard up serves.',
  properties: {
    host: {
      type: 'string',
      maxLength: 255,
      pattern: '^[A-Za-z0-9._:%-]+$',
      patternErrorMessage: 'must be a host name or an IP address',
      description: 'The address to bind.',
      default: '127.0.0.1',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      description: 'The port to bind; 0 takes any free one.',
      default: 7420,
    },
    path: {
      type: 'string',
      maxLength: 1024,
      pattern: String.raw`^/[^?#\s\p{Cc}]*$`,
      patternErrorMessage: 'must be a path that starts with a slash, without ? and #',
      description: 'The path of the endpoint.',
      default: '/mcp',
    },
    anonymousAgent: {
      type: 'string',
      minLength: 1,
      description: 'The agent that an unauthenticated caller is, on loopback only.',
    },
    allowedOrigins: {
      type: 'array',
      items: {
        type: 'string',
        maxLength: 1024,
        pattern: String.raw`^[a-z][a-z0-9+.-]*://[^\s/?#@*A-Z\p{Cc}]+$`,
        patternErrorMessage:
          'must be an origin as browsers send it: scheme, host and perhaps port in lower case, such as https://app.example.com:8443',
        description: 'One origin, such as https://app.example.com.',
      },
      maxItems: 1000,
      description: 'Origins of web pages that may call the gateway. Those on loopback always may.',
      default: [],
    },
    allowedHosts: {
      type: 'array',
      items: {
        type: 'string',
        maxLength: 1024,
        pattern: '^(?:[a-z0-9._-]+|\\[[0-9a-f:.]+\\])(?::[0-9]{1,5})?$',
        patternErrorMessage:
          'must be a host name or an address in lower case, perhaps with a port, such as switchyard.example.com:7420',
        description: 'One value of the Host header, such as localhost:7420.',
      },
      maxItems: 1000,
      description:
        'Values of the Host header that the gateway answers to. Those of loopback always are; others are refused at the start, since it authenticates nobody yet.',
      default: [],
    },
  },
  additionalProperties: false,
  default: {},
} as const satisfies ConfigurationSchema;

const limits = {
  type: 'object',
  description: 'Bounds that hold for every server and every caller.',
  properties: {
    callTimeoutMs: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_TIMEOUT_MS,
      description: 'How long one call may take, in milliseconds, unless its server says otherwise.',
      default: 60_000,
      'x-otherNames': ['timeoutMs', 'timeout'],
    },
    startTimeoutMs: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_TIMEOUT_MS,
      description: 'How long a server may take to start and answer for the first time, in milliseconds.',
      default: 15_000,
    },
    maxResultBytes: {
      type: 'integer',
      minimum: 1024,
      maximum: MAX_BYTES,
      description: 'The largest result of a call, in bytes of JSON.',
      default: 10_485_760,
    },
    maxBodyBytes: {
      type: 'integer',
      minimum: 1024,
      maximum: MAX_BYTES,
      description: 'The largest HTTP request body that the gateway reads, in bytes.',
      default: 4_194_304,
    },
    maxArgumentsBytes: {
      type: 'integer',
      minimum: 1024,
      maximum: MAX_BYTES,
      description: 'The largest arguments of a call, in bytes of JSON.',
      default: 1_048_576,
    },
    maxConcurrentCalls: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description: 'How many calls may run at the same time, over all callers.',
      default: 256,
    },
  },
  additionalProperties: false,
  default: {},
} as const satisfies ConfigurationSchema;

const audit = {
  type: 'object',
  description: 'Where the record of every call is kept.',
  properties: {
    path: {
      type: 'string',
      maxLength: 4096,
      pattern: String.raw`^(?!.*\$\{)[^\p{Cc}]+$`,
      patternErrorMessage: 'must be a path; variables are not replaced here',
      description: 'The SQLite file, relative to the configuration file.',
      default: '.switchyard/audit.db',
    },
    durability: {
      type: 'string',
      enum: ['process', 'disk'],
      description: 'process survives a killed process; disk survives a power failure and is slower.',
      default: 'process',
    },
  },
  additionalProperties: false,
  default: {},
} as const satisfies ConfigurationSchema;

/**
 * The JSON Schema (draft-07) of `switchyard.yaml`, and the only place where keys, types, ranges, defaults and their
 * descriptions are declared: it drives the checker, the suggestions, the TypeScript types and editors.
 *
 * The same document is published as `@switchyard/config/switchyard.schema.json`. An editor takes it from the first line
 * of a YAML file, `# yaml-language-server: $schema=./node_modules/@switchyard/config/schema/switchyard.schema.json`, or
 * from the key `$schema` of a JSON file.
 */
export const configurationSchema = deepFreeze({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Switchyard configuration',
  type: 'object',
  description: 'The servers that a host reaches, who may use what, and the gateway in front.',
  properties: {
    $schema: { type: 'string', description: 'Where editors find this schema. It has no other effect.' },
    mcpServers: {
      type: 'object',
      propertyNames: name,
      additionalProperties: server,
      maxProperties: 1000,
      description: 'The MCP servers, by id. Tools are exposed as id__tool.',
      default: {},
      'x-otherNames': ['servers', 'mcp', 'context_servers', 'mcp_servers'],
    },
    agents: {
      type: 'object',
      propertyNames: name,
      additionalProperties: agent,
      maxProperties: 1000,
      description: 'The agents, by id: who may call what.',
      default: {},
    },
    gateway,
    limits,
    audit,
  },
  additionalProperties: false,
} as const satisfies ConfigurationSchema & { readonly $schema: string; readonly title: string });
