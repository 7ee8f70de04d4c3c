import { hiddenCharacters } from './hidden-characters.ts';

/** Where a text stands: what describes a capability, what a call or a read answers, what a prompt is made of. */
export type ServedTextKind = 'description' | 'content' | 'prompt';

/** A way in which a text tries to steer a model or its user. */
export interface InstructionRule {
  readonly name: string;
  /** What it finds, in words for whoever reads a report. */
  readonly finds: string;
  /** Where it holds. Prompts are instructions by nature and are held to what no honest text has. */
  readonly kinds: readonly ServedTextKind[];
  /**
   * Answers the offending part. `plain` is the text as a model reads it: folded, without invisible characters, on one
   * line.
   */
  find(text: string, plain: string): string | undefined;
}

const everywhere: readonly ServedTextKind[] = ['description', 'content', 'prompt'];
const notInPrompts: readonly ServedTextKind[] = ['description', 'content'];

const WORDS = "(?:[\\w',/-]+ )";
const YOUR = '(?:all |any |of |the |your |these |my |other )*';
const GIVEN =
  "(?:previous|prior|above|earlier|preceding|existing|system|safety|security|developer|user'?s?|original|host'?s?)";
const RULES = '(?:instructions?|rules|guidelines|directives|guardrails|polic(?:y|ies)|restrictions|safeguards)';
const TELLING =
  '(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|reveal|revealing|disclose|disclosing|show|showing|alert|alerting)';
/** What no tool needs as an argument. */
const CONTEXT =
  '(?:private keys?|ssh keys?|environment variables|conversation(?: history)?|chat history|message history|system prompt)';
const SECRETS = '(?:api[ _-]?keys?|passwords?|credentials|secrets|(?:access |auth |bearer |session )?tokens?)';
const ADDRESS = '(?:https?:|[\\w.+-]+@|[\\w-]+\\.(?:com|net|io|org|dev|example)\\b)';
const PARAMETER =
  "(?:the|this|a) (?:[\\w'`]+ ){0,2}(?:parameter|argument|field|value|note|sidenote|context|url|body|tool|server)\\b";
const SECRET_FILES =
  '(?:\\.ssh/|id_rsa|id_ed25519|\\.aws/credentials|/etc/(?:passwd|shadow)|\\.cursor/mcp\\.json|claude_desktop_config\\.json)';
const OTHER_TOOLS = '(?:any |the |all )*(?:other|built-?in|native|default|existing) (?:\\w+ ){0,3}tools?\\b';

/** A rule for the text as a model reads it; its parts are alternatives, and each begins a word. */
function phrase(...parts: readonly string[]): InstructionRule['find'] {
  const expression = new RegExp(`\\b(?:${parts.join('|')})`, 'i');
  return (_text, plain) => expression.exec(plain)?.[0];
}

/** A rule for the text as it stands. */
function marker(expression: RegExp): InstructionRule['find'] {
  return (text) => expression.exec(text)?.[0];
}

/**
 * The rules that texts of servers are held to, each by one idea. They look for what addresses the model against its
 * host, and leave alone how a tool says it wants to be used.
 */
export const instructionRules: readonly InstructionRule[] = [
  {
    name: 'override',
    finds: 'asks to disregard what the host or the user said',
    kinds: everywhere,
    find: phrase(
      `(?:ignore|disregard|forget|do not follow|stop following) ${YOUR}(?:${GIVEN} )+(?:\\w+ )?(?:${RULES}|prompts?|messages?|context)\\b`,
      `(?:override|bypass) ${YOUR}(?:${GIVEN} )+${RULES}\\b`,
    ),
  },
  {
    name: 'new-role',
    finds: 'gives the model a new role or mode',
    kinds: notInPrompts,
    find: phrase(
      'you are now (?:in )?(?:an? )?(?:\\w+ ){0,3}(?:mode|admin\\w*|root|unrestricted|jailbroken|DAN)\\b',
      'enter (?:developer|god|admin|debug|unrestricted) mode\\b',
      'new (?:system )?instructions?\\s?:',
    ),
  },
  {
    name: 'role-marker',
    finds: 'holds the markers by which models tell who speaks',
    kinds: everywhere,
    find: marker(
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)[^>]{0,20}\|?>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|developer)[-_ ](?:prompt|message|reminder|instructions?)\s*>|<\/(?:system|assistant|developer)\s*>/i,
    ),
  },
  {
    name: 'urgent-tag',
    finds: 'dresses text up as a tag that a model takes for its host’s',
    kinds: notInPrompts,
    find: marker(
      /<(?:important|critical)\s*>|<(instructions?|secret|hidden|override|admin)\s*>[\s\S]{1,2000}?<\/\1\s*>/i,
    ),
  },
  {
    name: 'role-line',
    finds: 'begins a line as if somebody else spoke',
    kinds: ['description'],
    find: marker(
      /^[ \t]*(?:#+ ?)?(?:system|assistant|developer)[ \t]*:[ \t]*(?:you (?:are|must|should|will)|ignore|from now on|do not|always|never)\b.{0,60}/im,
    ),
  },
  {
    name: 'conceal',
    finds: 'asks to keep something from the user',
    kinds: everywhere,
    find: phrase(
      `(?:do not|don't|never|must not|should not|without|avoid) (?:ever )?${TELLING} (?:\\w+ ){0,6}?(?:the user|the human|users|anyone|anybody)\\b`,
      '(?:keep|hide) (?:this|it|that) (?:\\w+ ){0,2}(?:secret )?from the user\\b',
      "without the user'?s? (?:knowing|knowledge|noticing)\\b",
    ),
  },
  {
    name: 'exfiltrate',
    finds: 'asks for secrets or the conversation to be handed over',
    kinds: notInPrompts,
    find: phrase(
      `(?:send|post|upload|forward|transmit|leak|exfiltrate|e-?mail|append|copy|include|pass|put|add|provide) ${WORDS}{0,8}?${CONTEXT} ${WORDS}{0,6}?(?:to|as|in|into|at|via) (?:${ADDRESS}|${PARAMETER})`,
      `(?:send|post|upload|forward|transmit|leak|exfiltrate|e-?mail) ${WORDS}{0,8}?${SECRETS} ${WORDS}{0,6}?to ${ADDRESS}`,
    ),
  },
  {
    name: 'read-secrets',
    finds: 'asks the model to read a file that holds secrets',
    kinds: ['description'],
    find: phrase(
      `(?:read|open|cat|load|access|fetch|get|include|send) (?:[\\w'"~/.-]+ ){0,6}?[\\w'"\`~/.-]{0,80}?${SECRET_FILES}`,
    ),
  },
  {
    name: 'shadow',
    finds: 'tells the model not to use tools of others, or to put itself before them',
    kinds: notInPrompts,
    find: phrase(
      `(?:do not|don't|never|stop) (?:use|using|call|calling|invoke) ${OTHER_TOOLS}`,
      `instead of ${OTHER_TOOLS}`,
      '(?:before|whenever) (?:you )?(?:use|using|call|calling|invoke|invoking) (?:any|every|all|the) (?:other )?(?:\\w+ ){0,3}?tools?\\b',
      '(?:always|must) (?:use|call|invoke|run) this (?:tool )?(?:first|instead|before (?:any|every|all|anything))\\b',
      'when (?:the|any|another) (?:`?[\\w.-]+`? )?tool is (?:called|used|invoked|present|available),? (?:\\w+ ){0,6}?(?:must|should|always|never|instead)\\b',
    ),
  },
  {
    name: 'false-approval',
    finds: 'claims an approval or asks to go without one',
    kinds: notInPrompts,
    find: phrase(
      'the (?:user|admin\\w*|operator|host) (?:has |have )?(?:already )?(?:approved|authori[sz]ed|consented to|confirmed|granted) (?:this|these|all|every|any|you|your|the (?:action|call|request|transfer|payment|operation|deletion)|in advance)\\b',
      "(?:skip|bypass|ignore|without|no need (?:for|to)|do not|don't|never) (?:ask(?:ing)? (?:the user )?for |wait(?:ing)? for |request(?:ing)? |require |requiring )?(?:the |any |user )*(?:confirmation|approval|permission|consent) (?:first|from the user|prompts?|dialogs?|checks?|step)\\b",
      'pre-?(?:approved|authori[sz]ed) (?:by|for) (?:the )?(?:user|admin\\w*|host|system)',
    ),
  },
  {
    name: 'hidden-characters',
    finds: 'holds characters that a person does not see and a model reads',
    kinds: everywhere,
    find: (text) => hiddenCharacters(text),
  },
  {
    name: 'hidden-comment',
    finds: 'holds a comment that is not shown where it is rendered',
    kinds: ['description'],
    find: marker(
      /<!--(?:(?!-->)[\s\S]){0,100}?[a-z]{2,20}\s{1,8}[a-z]{2,20}\s{1,8}[a-z]{2,20}(?:(?!-->)[\s\S]){0,100}/i,
    ),
  },
  {
    name: 'image-leak',
    finds: 'has an image whose address is to be filled with data',
    kinds: notInPrompts,
    find: marker(/!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{1,300}[?&][\w-]{1,40}=(?:\{|<|\[|%7B|\$)[^)\s]{0,80}/i),
  },
];
