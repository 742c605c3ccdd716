import { Redirect } from 'wouter';
import { useHref } from '../location.ts';

/** The address of the inbox in version 1. */
export function Page() {
  return <Redirect to={useHref()('/inbox')} replace />;
}
