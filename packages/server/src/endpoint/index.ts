export { type EndpointDefaults } from '../assembly/create-endpoint.ts';
export { createListPages, type ListEntry, type ListPages } from '../catalog/list-pages.ts';
export { listCacheHints } from '../definition/cache-hints.ts';
export { type Endpoint, type MethodHandler, Serialised } from '../dispatch/endpoint.ts';
export { createResponder, type ResponderOptions } from '../dispatch/responder.ts';
export { endpointToFetch } from '../http/endpoint-to-fetch.ts';
