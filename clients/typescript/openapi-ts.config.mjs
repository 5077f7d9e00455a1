// tools/typescript_client.py writes the document to the file that this names.
export default {
  input: process.env.OPENAPI_DOCUMENT,
  output: { path: "src/generated", importFileExtension: ".js", header: "// Generated from the OpenAPI document." },
  plugins: [{ name: "@hey-api/client-fetch", baseUrl: false }, "@hey-api/typescript", "@hey-api/sdk"],
};
