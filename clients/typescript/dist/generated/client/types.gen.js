// Generated from the OpenAPI document.
export {};
