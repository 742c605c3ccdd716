/** A picture of one pixel. */
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Uses every section and most fields. */
export const COMPLETE = `
version: 1
integrations:
  - name: crm
    kind: mcp
    url: https://93.184.215.14/mcp
    trustsHints: true
    headers:
      - name: Authorization
        env: CRM_AUTHORIZATION
  - name: shop
    kind: http
    url: https://93.184.215.14/api
workflows:
  - name: Support
    triggerRequired: true
    config:
      instructions: |
        You help customers.
        Be short.
      model: demo
      context: compact
      contextTokens: 20000
      summaryModel: demo
      summaryInstructions: Keep numbers.
      allowFileReading: false
      historyLimit: 7
      allowConversationCompletion: true
      allowHandOver: true
      handOverAfterFailures: 3
      handOverAfterBadRating: true
      handOverWaitMinutes: 60
      handOverExpiry: keep
      titleModel: true
      timeoutSeconds: 60
      maxSteps: 4
      recovery: continue
      maxAttempts: 5
      runBudget: { tokens: 50000 }
      conversationBudget: { period: day, tokens: 200000, warnAt: 0.5, onReached: stop }
      reasoning: shown
      reasoningEffort: low
      maxReplyTokens: 4000
      temperature: 0.2
      stopSequences: [END]
      modelParameters: { top_p: 0.9, logit_bias: { "50256": -100 } }
      resourceTools: [find_resources]
      toolApprovals:
        - { tool: find_resources, mode: always, approver: either, allowAnonymous: false, expiresAfterSeconds: 60, onExpiry: { mode: deny } }
      clientTools:
        - name: pick_color
          inputSchema: { type: object, properties: { z: { type: string, default: null }, a: { type: number } } }
      httpActions:
        - name: get_order
          integration: shop
          url: /orders/{id}
          inputSchema: { type: object, properties: { id: { type: string } }, required: [id] }
          headers: [{ name: x-source, value: parley }]
      mcpServers:
        - { name: crm, integration: crm, approval: { mode: never } }
        - { name: other, integration: crm, tools: [search] }
      outputSchema: { type: object, properties: { text: { type: string } } }
    versions:
      - name: version-1
        config: { instructions: Earlier. }
  - name: Empty
deployments:
  - name: Support chat
    workflow: Support
    kind: chat
    authRequired: false
    allowlist: [www.Example.com]
    hostedPage: true
    dynamicClientTools: false
    allowEditing: false
    doubleTextPolicy: enqueue
    onReaderGone: continue
    anonymousPerMinute: 100
    conversationTurnsPerMinute: 10
    turnsPerMinute: 1000
    visitorTurnsPerHour: 50
    visitorTurnsPerDay: 200
    endUserBudget: { period: day, tokens: 100000 }
    visitorBudget: { period: month, tokens: 5000000 }
    challenge: proof_of_work
    maxFileBytes: 1000
    fileTypes: [image/*]
    branding:
      name: Acme
      accent: '#3B4CE0'
      greeting: Hello
      suggestedPrompts: [Hi]
      theme: dark
      launcherPosition: left
      launcherText: Chat
      language: de
      logo: ${LOGO}
  - { name: Support agent, workflow: Support, kind: agent, version: version-1 }
  - { name: Offline, workflow: Empty, kind: chat, published: false }
documents:
  - name: my_resources
    text: |
      query MyResources { resources(first: 5) { nodes { resourceId type } } }
webhooks:
  - url: https://93.184.215.14/hook
    description: All
  - url: https://93.184.215.14/runs
    eventTypes: [run.completed, resource.created]
    enabled: false
apiKeys:
  - name: Site
    scopes: [conversations:write, conversations:read]
    requestsPerMinute: 10
    expiresAt: 2099-01-31T00:00:00+01:00
    allowedIpRanges: [192.0.2.0/24]
    deployments: [Support chat, Support agent]
modelPrices:
  - { model: demo, inputPerMillion: 1.5, cachedInputPerMillion: 0.15, cacheWritePerMillion: 1.75, outputPerMillion: 2 }
environment: { timeZone: Europe/Berlin }
budgets:
  - { period: month, amount: '120.5', warnAt: 0.8, onReached: pause, expiresAfterSeconds: 3600, onExpiry: { mode: default, output: { approved: true, amount: '5' } } }
  - { deployment: Support chat, period: day, tokens: 5000000000, onReached: stop }
endUserIssuer:
  issuer: https://93.184.215.14/id
  audience: parley
  jwksUrl: https://93.184.215.14/jwks
  deployments: [Support chat]
  scopeClaim: scope
  signIn: { clientId: parley, env: LOGIN_SECRET }
limits: { requestsPerMinute: 5000, concurrentRuns: 50, backgroundRuns: 10, fileMegabytes: 100 }
retention: { days: 90, traceDays: 7 }
`;
