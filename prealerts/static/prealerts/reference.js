// Shows the OpenAPI document. No other origin is asked: validatorUrl would send the document's address to one.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  follow();
  dark.addEventListener("change", follow);

  // The button that opens an operation holds its path as a link, which screen readers announce as another control.
  const withoutLinksInButtons = ({ React }) => ({
    components: { DeepLink: ({ text }) => React.createElement("span", null, text) },
  });

  // The secret of webhooks is sent by the service: there is nothing to try with it.
  const withoutWebhookSecret = () => ({
    statePlugins: {
      auth: {
        wrapSelectors: {
          definitionsToAuthorize: (original) => (...state) =>
            original(...state).filter((definition) => !definition.has("WebhookSecret")),
        },
      },
    },
  });

  // The page would make up a flight from the patterns of the form, and the form wins over the workbook. It would send the
  // cursor that the document has as an example, and no list would answer.
  const withoutInventedValues = () => ({
    statePlugins: {
      spec: {
        wrapActions: {
          updateJsonSpec: (original) => (description) => {
            const fields = Object.values(description.components?.schemas.UploadForm?.properties ?? {});
            for (const field of fields) if (field.format !== "binary") field.default = "";
            for (const operation of Object.values(description.paths ?? {}).flatMap(Object.values))
              for (const parameter of operation.parameters ?? []) if (parameter.name === "cursor") delete parameter.example;
            return original(description);
          },
        },
      },
    },
  });

  const place = document.getElementById("reference");
  window.SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    plugins: [withoutLinksInButtons, withoutWebhookSecret, withoutInventedValues],
    onComplete: () => {
      document.getElementById("servers")?.setAttribute("aria-label", "Server");
      for (const beside of place.querySelectorAll(".information-container, .scheme-container")) {
        beside.setAttribute("role", "region"); // the operations alone are the page's main part
        beside.setAttribute("aria-label", beside.matches(".scheme-container") ? "Server" : "About");
      }
      for (const heading of place.querySelectorAll(".opblock-tag, .models h4")) heading.setAttribute("aria-level", "2");
    },
  });
})();
