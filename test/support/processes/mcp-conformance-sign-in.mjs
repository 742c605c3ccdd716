// The client that the suite starts. The service under test runs in another process, which follows the scenario.
const { FOLLOW_URL = '', MCP_CONFORMANCE_CONTEXT = '{}' } = process.env;
const body = JSON.stringify({ url: process.argv.at(-1), ...JSON.parse(MCP_CONFORMANCE_CONTEXT) });
const response = await fetch(FOLLOW_URL, { method: 'POST', body });
console.log(await response.text());
if (!response.ok) process.exitCode = 1;
