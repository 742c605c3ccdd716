import '../styles.css';
import { Router } from 'wouter';
import { en } from '../texts/en.ts';
import { mount } from '../ui/mount.tsx';
import { Dashboard } from './dashboard.tsx';
import { aroundNavigation, listenForHistory } from './unsaved-changes.tsx';

listenForHistory();
mount(
  <Router base="/dashboard" aroundNav={aroundNavigation}>
    <Dashboard />
  </Router>,
  en,
);
