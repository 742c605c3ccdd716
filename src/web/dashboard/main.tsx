import '../styles.css';
import { Router } from 'wouter';
import { en } from '../texts/en.ts';
import { mount } from '../ui/mount.tsx';
import { Dashboard } from './dashboard.tsx';
import { restoreAddress } from './entry/return-address.ts';
import { showOwnTheme } from './theme.ts';
import { aroundNavigation, listenForHistory } from './unsaved-changes.tsx';

showOwnTheme();
restoreAddress();
listenForHistory();
mount(
  <Router base="/dashboard" aroundNav={aroundNavigation}>
    <Dashboard />
  </Router>,
  en,
);
