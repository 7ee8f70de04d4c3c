export { anonymousAgent } from './anonymous-agent.ts';
export { createGateway, type GatewayOptions } from './create-gateway.ts';
export { GatewayError, type GatewayErrorCode } from './gateway-error.ts';
export { type ListeningAddress, listeningAddress } from './listening-address.ts';
export {
  serveGateway,
  type ServeGatewayOptions,
  serveGatewayStdio,
  type ServeGatewayStdioOptions,
} from './serve-gateway.ts';
