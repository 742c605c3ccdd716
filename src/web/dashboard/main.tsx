import '../styles.css';
import { Router } from 'wouter';
import { mount } from '../ui/mount.tsx';
import { Dashboard } from './dashboard.tsx';
import { aroundNavigation, listenFirst } from './leaving.tsx';

listenFirst();
mount(
  <Router base="/dashboard" aroundNav={aroundNavigation}>
    <Dashboard />
  </Router>,
);
