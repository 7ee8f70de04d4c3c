import {
  clientCredentials,
  enterpriseAuthorization,
  type Grant,
  workloadIdentity,
} from '@switchyard/client/authorization';

/** The data of a scenario, all of them texts. */
type Data = (name: string) => string;

const grants: { readonly [scenario: string]: (data: Data) => Grant } = {
  // The suite does not say beforehand which authorization server it starts.
  'auth/client-credentials-basic': (data) =>
    clientCredentials({ issuer: 'any', clientId: data('client_id'), secret: data('client_secret') }),
  'auth/client-credentials-jwt': (data) =>
    clientCredentials({ issuer: 'any', clientId: data('client_id'), privateKey: data('private_key_pem') }),
  'auth/enterprise-managed-authorization': (data) =>
    enterpriseAuthorization({
      user: 'employee',
      idToken: () => data('idp_id_token'),
      identityProvider: { issuer: data('idp_issuer'), clientId: data('idp_client_id') },
      client: { issuer: 'any', clientId: data('client_id'), secret: data('client_secret') },
    }),
  'auth/wif-jwt-bearer': (data) =>
    workloadIdentity({
      workload: 'fixture',
      issuer: 'any',
      clientId: data('client_id'),
      assertion: () => data('valid_jwt'),
    }),
};

/** Answers the grant of a scenario in which no user takes part, made of the scenario's data; `undefined` for others. */
export function machineGrant(scenario: string, context: unknown): Grant | undefined {
  const create = Object.hasOwn(grants, scenario) ? grants[scenario] : undefined;
  return create?.((name) => {
    const value: unknown = typeof context === 'object' && context !== null ? Reflect.get(context, name) : undefined;
    if (typeof value === 'string') return value;
    throw new Error(`MCP_CONFORMANCE_CONTEXT must hold the text ${name} for this scenario.`);
  });
}

/** The scenarios that {@link machineGrant} has a grant for. */
export const machineScenarios: readonly string[] = Object.keys(grants);
