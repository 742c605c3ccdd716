import '../styles.css';
import { Router } from 'wouter';
import { mount } from '../ui/mount.tsx';
import { Dashboard } from './dashboard.tsx';

mount(
  <Router base="/dashboard">
    <Dashboard />
  </Router>,
);
