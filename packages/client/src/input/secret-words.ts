/** Words for secrets that also end longer ones, as in `userpassword`. */
const ENDINGS =
  'pass(?:words?|wd|phrases?|codes?|keys?)|pwd|passw(?:or[dt]|örter)|kennw(?:ort|örter)|secrets?|credentials?|api ?keys?';
/** Words for secrets that stand by themselves. */
const WORDS = [
  'pass (?:words?|wd|phrases?|codes?|keys?)|passw',
  'contrase(?:n|ñ)as?|mots? ?de ?passe|senhas?|парол(?:ь|я|ю|е|и|ей|ем)|wachtwoord|lösenord|adgangskode|kodeord|passord',
  'salasana|hasł[oa]|heslo|jelszó|şifre(?:niz)?|parola d ordine|geheimzahl|kontonummer|kreditkarten?(?: ?nummer)?',
  'mật khẩu|kata ?sandi|kata ?laluan|κωδικ(?:ός|ό|οί) πρόσβασης|συνθηματικό|код из (?:смс|sms)|номер карты',
  'clés? api|code d accès|(?:carte|numéro de carte) bancaire|api ?schlüssel|zugangs(?:daten|code)',
  'clave (?:api|secreta|privada|de (?:acceso|api|seguridad))|número de (?:la |su |tu )?tarjeta|tarjeta de (?:crédito|débito)',
  '(?:private|access|secret|ssh|signing|encryption|license|master|account|service) ?keys?',
  '(?:seed|recovery|backup|mnemonic) ?(?:phrases?|codes?|keys?|words?)|wallet ?seeds?|mnemonics?|bearer|jwt',
  '(?:access|auth|authentication|oauth|api|bearer|refresh|session|security|personal access|id|github|gitlab|bot) ?tokens?',
  '(?:one ?time|verification|authentication|authenticator|security|auth|2fa|mfa|two ?factor|sms) ?(?:codes?|numbers?)',
  '(?:codes?|digits?) from (?:the|your|an) (?:sms|text message|authenticator)|(?:session|auth|login) ?cookies?',
  'security ?answers?|answers? to (?:\\p{L}+ )?security question',
  '(?:pin|[im]?tan) ?(?:codes?|numbers?|values?|entry|confirmation)|(?:sms|push|mobile) ?tan',
  '(?:[ht]?otp|cvv2?|cvc2?|iban|bic|ssn)(?: ?(?:codes?|numbers?|values?))?',
  '(?:credit|debit|payment|bank) ?cards?|card ?holders?|(?:cc|card|account|acct) ?(?:numbers?|num|no(?= ?\\d|$))',
  '(?:cc|card) ?exp(?:iry|iration|ires)?|(?:expiry|expiration)(?: date)? of (?:the|your) card',
  '(?:digits|numbers?) on the (?:front|back)|swift code|routing number|bank account|sort code',
  'social ?security|tax id|national id',
].join('|');
/** Words for secrets in languages that are written without spaces, or that put letters before a word. */
const UNSPACED = [
  '密码|密碼|口令|验证码|驗證碼|私钥|私鑰|密钥|助记词|助記詞|银行卡号|信用卡号|访问令牌',
  'パスワード|パスコード|パスフレーズ|暗証番号|認証コード|秘密鍵|クレジットカード|カード番号|アクセストークン|APIキー',
  '비밀번호|암호|인증번호|카드번호|كلمة المرور|كلمة السر|رمز المرور|رمز التحقق|पासवर्ड|סיסמה|סיסמא|รหัสผ่าน',
].join('|');
const SECRET_SOURCE = String.raw`(?:(?:${ENDINGS}|(?<!\p{L})(?:${WORDS}))(?!\p{L})|${UNSPACED})`;

/** The name of a secret, anywhere in a text of words between single spaces. */
export const SECRET = new RegExp(SECRET_SOURCE, 'iu');

/** Names of secrets that are common words when they are not written like this: `a pin on the map`, `a tan coat`. */
export const ACRONYM = /(?<!\p{L})(?:PIN|[im]?TAN|PAT)s?(?!\p{L})/u;

/** A PIN that is one of a map or of an address, where the form is about such. */
export const PIN = /(?<!\p{L})pin ?(?:codes?|numbers?)?(?!\p{L})/giu;
/** What such a form speaks of. */
export const PLACE = /(?<!\p{L})(?:postal|postcode|zip|city|district|map|latitude|longitude)(?!\p{L})/iu;
/** What a form with a PIN that is a secret may speak of, too. */
export const BANK = /(?<!\p{L})(?:bank|card|atm|sim|account|security)(?!\p{L})/iu;

/** A key, unless it is one of those that nobody keeps secret. */
const KEY = `(?<!(?:${[
  'primary|foreign|public|sort|partition|shard|cache|routing|lookup|composite|unique|natural|join|hash|row|column|record',
  'project|issue|ticket|epic|board|object|s3|file|document|entity|tag|label|metadata|property|attribute|setting|feature',
  'idempotency|translation|message|locale|i18n|musical|shortcut|keyboard|search|query|json|dictionary',
].join('|')}) )key`;
const TOKEN = '(?<!(?:page|next|cursor|continuation|pagination|sync|resume|stop|pad|erc ?20|nft) )token';
const PASS = '(?<!(?:boarding|season|bus|train|ski|day|guest|visitor|event|mountain|press|hall) )pass';
/** Further words that say enough as the last word of a name or title: `githubToken`, `stripeKey`, `pin2`. */
export const NAMED = new RegExp(
  String.raw`(?:^| )(?:${TOKEN}|(?<!^)${KEY}|${PASS}|pin|[im]?tan|pan|auth|mfa|2fa|login code|parola(?:nız)?)(?: ?\d+)?$` +
    '|^(?:(?:su|tu|la) )?clave$',
  'i',
);

/** A request in one text for what is typed into a field with a harmless name. */
export const ASKS_FOR = new RegExp(
  String.raw`\b(?:${[
    'enter|provide|paste|type|write|give|send|supply|input|share|submit|confirm|tell|need|require|your|eingeben|geben',
    'saisir|saisissez|entrez|introduce|introduzca|introduza|ingrese|ingresa|escriba|escribe|digite|insira|inserisci',
  ].join('|')})\b|输入|輸入|入力|입력|введите`,
  'i',
);
/** The words of {@link NAMED} within such a request, where they are not followed by what they might belong to. */
export const ASKS_FOR_NAMED = new RegExp(
  String.raw`\b(?:enter|provide|paste|type|write|give|submit|confirm|your|the) (?:\w+ )?(?:${TOKEN}|${KEY}|pin|pan)` +
    String.raw`(?=$| (?:to|for|below|here|in|into|now|and|or|before|again|please)\b)|\byour pin\b`,
  'i',
);

/** A secret that is spoken of and not asked for: `to reset your password`, `we never ask for your password`. */
export const MENTION = new RegExp(
  String.raw`\b(?:(?:to|for|before|after|when) (?:reset|chang|rotat|recover|restor|revok|renew|delet|remov|dismiss)\w*` +
    String.raw`|(?:never|not) (?:\w+ )?(?:ask|request|need)(?: you)?(?: for)?)` +
    String.raw`(?: (?:your|the|this|an|a|any|its|old))* ${SECRET_SOURCE}`,
  'giu',
);
/** What leads back to something that was only spoken of. */
export const REFERS_BACK = /\b(?:it|one|ones|them|that|these|those|same)\b/i;

/** Names of fields that say nothing of what is typed into them. */
export const NEUTRAL =
  /^(?:value|answer|response|reply|result|input|text|data|content|string|field|entry|code|key|\p{L})? ?\d*$/iu;
