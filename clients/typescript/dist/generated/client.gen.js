// Generated from the OpenAPI document.
import { createClient, createConfig } from './client/index.js';
export const client = createClient(createConfig());
