// A chat page with an agent. Bundle it with React:
//   npx esbuild page.jsx --bundle --jsx=automatic --outfile=page.js
// Load it in a page that has <div id="root" data-url="…" data-deployment="…"></div>. The deployment must allow the page's
// host. The address contains the conversation ID, so that a reload continues the conversation.
import { createClient } from '@parley/sdk';
import { useAgent } from '@parley/sdk/react';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const root = document.getElementById('root');
const client = createClient({ baseUrl: root.dataset.url, deploymentId: root.dataset.deployment });
const CAPABILITIES = { clientCapabilities: ['ask_user'] };

function Page() {
  const [cid, setCid] = useState(() => new URLSearchParams(location.search).get('cid'));
  const agent = useAgent(client, cid, CAPABILITIES);
  const { conversationId, messages, live, pendingToolCalls, status, error } = agent;

  useEffect(() => {
    if (!conversationId || conversationId === cid) return;
    history.replaceState(null, '', `?cid=${conversationId}`);
    setCid(conversationId);
  }, [conversationId, cid]);

  // The state has the error.
  const send = (content) => (conversationId ? agent.continue({ content }) : agent.start({ content })).catch(() => {});
  return (
    <main>
      <ol>
        {messages.map(({ id, role, content }) => (
          <li key={id} className={role}>
            {content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')}
          </li>
        ))}
        {live && <li className="assistant">{live.text}</li>}
      </ol>
      {pendingToolCalls.map((call) => (
        <Questions
          key={call.callId}
          questions={call.arguments.questions}
          onAnswers={(answers) => agent.resolveTool(call.callId, { answers }).catch(() => {})}
        />
      ))}
      {error && <p role="alert">{error.message}</p>}
      <p id="status">{status}</p>
      {status === 'running' && (
        <button type="button" onClick={() => agent.stop().catch(() => {})}>
          Stop
        </button>
      )}
      <Message onSend={send} disabled={status === 'running' || status === 'awaiting_input'} />
    </main>
  );
}

function Message({ onSend, disabled }) {
  const submit = (event) => {
    event.preventDefault();
    onSend(new FormData(event.target).get('text'));
    event.target.reset();
  };
  return (
    <form id="message" onSubmit={submit}>
      <textarea name="text" required aria-label="Message" />
      <button type="submit" disabled={disabled}>
        Send
      </button>
    </form>
  );
}

function Questions({ questions, onAnswers }) {
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    onAnswers(
      questions.map(({ id, input_type }) => ({
        id,
        value: input_type === 'multi_select' ? form.getAll(id) : form.get(id),
      })),
    );
  };
  return (
    <form className="questions" onSubmit={submit}>
      {questions.map(({ id, question, input_type, options }) => (
        <p key={id}>
          <label htmlFor={id}>{question}</label>
          {options ? (
            <select id={id} name={id} multiple={input_type === 'multi_select'}>
              {options.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
          ) : (
            <input id={id} name={id} required />
          )}
        </p>
      ))}
      <button type="submit">Answer</button>
    </form>
  );
}

createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
