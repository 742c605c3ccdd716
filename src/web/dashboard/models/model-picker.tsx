import { useState } from 'react';
import { DEMO_MODEL, providerModelOf } from '../../../contract/model-name.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useServiceQuery } from '../requests.ts';
import { AVAILABLE_MODELS, OFFERED_MODELS } from './documents.ts';

interface Props {
  readonly label?: string;
  /** '' is the default. */
  readonly value: string;
  readonly onChange: (model: string) => void;
  readonly error?: string | undefined;
  /** The label of the default, if it is not that of the service. */
  readonly inherit?: string;
  readonly disabled?: boolean;
}

const OTHER = 'other';

/** Selects a model that a configured provider offers or the workspace knows. Any other name can be entered. */
export function ModelPicker({ label = 'Model', value, onChange, error, inherit, disabled }: Props) {
  const { data, error: loadError } = useServiceQuery(AVAILABLE_MODELS, {});
  const offered = useServiceQuery(OFFERED_MODELS, {}).data?.availableModels.providers ?? [];
  const { defaultModel, providers = [] } = data?.availableModels ?? {};
  const [isOther, setOther] = useState(false);
  const configured = providers.filter(({ isConfigured }) => isConfigured);
  const names = configured.flatMap(({ name, models }) => {
    const offer = offered.find((one) => one.name === name)?.offer;
    return [...new Set([...models, ...(offer?.models ?? [])])].sort();
  });
  const listed = ['', DEMO_MODEL, ...names];
  const isListed = listed.includes(value);
  const select = (choice: string) => {
    setOther(choice === OTHER);
    if (choice !== OTHER) onChange(choice);
  };
  return (
    // The hint depends on the data and moves what follows.
    <div data-skeleton={data || loadError ? undefined : true} className="flex flex-col gap-3">
      <SelectField
        label={label}
        value={isOther || !isListed ? OTHER : value}
        disabled={disabled}
        onChange={(event) => select(event.target.value)}
        hint={inherit === undefined && unconfigured(providers)}
      >
        <option value="">{inherit ?? `Default of the service${defaultModel ? ` (${defaultModel})` : ''}`}</option>
        <option value={DEMO_MODEL}>{DEMO_MODEL} (deterministic, for tests)</option>
        {names.map((model) => (
          <option key={model}>{model}</option>
        ))}
        <option value={OTHER}>Another model…</option>
      </SelectField>
      {(isOther || !isListed) && (
        <TextField
          label={`${label}: name`}
          value={value}
          disabled={disabled}
          placeholder="openai:NAME"
          onChange={(event) => onChange(event.target.value)}
          hint={nameHint(value, providers)}
          error={error}
        />
      )}
    </div>
  );
}

function unconfigured(providers: readonly Provider[]): string | undefined {
  const names = providers.filter(({ isConfigured }) => !isConfigured).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return `Not configured on this service: ${names.join(', ')}. The operator sets the key of a provider.`;
}

interface Provider {
  readonly name: string;
  readonly isConfigured: boolean;
}

function nameHint(value: string, providers: readonly Provider[]): string {
  const provider = providerModelOf(value)?.provider;
  const isMissing = providers.some(({ name, isConfigured }) => name === provider && !isConfigured);
  if (isMissing) return `${provider} is not configured on this service. Turns with this model fail.`;
  return 'demo, openai:NAME, anthropic:NAME or openai-compatible:NAME.';
}
