// The REST reference: Swagger UI over this service's own OpenAPI document.

window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // A key is forgotten with the page, and no badge is asked of another host.
  persistAuthorization: false,
  validatorUrl: null,
});
