import { AskUserForm } from './forms/ask-user-form.tsx';
import { CustomForm } from './forms/custom-form.tsx';
import type { FormProps } from './forms/form-props.ts';
import { UploadForm } from './forms/upload-form.tsx';

const BUILT_IN = new Map([
  ['ask_user', AskUserForm],
  ['upload_document', UploadForm],
]);

/** The form of a call, by its tool. */
export function ToolForm(props: FormProps) {
  const Form = BUILT_IN.get(props.call.name) ?? CustomForm;
  return <Form {...props} />;
}
