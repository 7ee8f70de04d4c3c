/** Why no connection was made, and what to do. */
export interface ConnectionTrouble {
  readonly saw: string;
  readonly fix: string;
}

const troubles: readonly (ConnectionTrouble & { readonly code: RegExp })[] = [
  {
    code: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    saw: 'The name of the host is not known.',
    fix: 'Correct the host in the URL; a name of a private network needs its VPN or resolver.',
  },
  {
    code: /^ECONNREFUSED$/,
    saw: 'Nothing listens there.',
    fix:
      'Start the server, or correct the port; in a container it must listen on 0.0.0.0 and the port must be ' +
      'published.',
  },
  {
    code: /^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/,
    saw: 'The host does not answer.',
    fix: 'Look at the address, the firewall and the VPN; where only a proxy leads out, set HTTPS_PROXY.',
  },
  {
    code: /^CERT_HAS_EXPIRED$/,
    saw: 'The certificate of the server has expired.',
    fix: 'Renew the certificate of the server, and look at the clock of this machine.',
  },
  {
    code: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/,
    saw: 'The certificate of the server comes from nobody whom this machine trusts.',
    fix:
      'Trust its authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem in front of the command. A chain that lacks ' +
      "its intermediate certificate is the server's to complete.",
  },
  {
    code: /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    saw: 'The certificate is for another host.',
    fix: 'Use a host name that the certificate has, or have one issued for this one.',
  },
  {
    code: /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    saw: 'The server does not speak TLS on this port.',
    fix: 'Write http:// in place of https://, or give the port that speaks TLS.',
  },
  {
    code: /^(?:ERR_SSL_.*|ERR_TLS_.*|EPROTO|CERT_.*)$/,
    saw: 'No TLS connection could be agreed on.',
    fix: 'Look whether the server wants a certificate of the client, or speaks only an old version of TLS.',
  },
  {
    code: /^(?:ENOENT|ENOTSOCK|EACCES)$/,
    saw: 'There is no socket at that path that may be used.',
    fix: 'Correct the path, start the server, or look at the permissions of the socket.',
  },
];

/** Answers what a code of the system, of TLS or of the HTTP library means; `undefined` where nothing is known. */
export function connectionTrouble(code: string): ConnectionTrouble | undefined {
  return troubles.find((trouble) => trouble.code.test(code));
}
