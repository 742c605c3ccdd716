// The REST reference: Swagger UI over this service's own OpenAPI document.

async function show() {
  const response = await fetch('openapi.json');
  const spec = await response.json();
  // This page may send requests only to its own host, which can have several names.
  spec.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
  window.SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    // Keys are not stored in the browser, and no validator badge is loaded from another host.
    persistAuthorization: false,
    validatorUrl: null,
  });
}

show();
