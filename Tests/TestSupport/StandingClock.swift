package import AsyncLocation
import MockBackend

extension LocationManager {
  /// Creates a manager for a test that specifies no clock. Its time stands still, so no deadline
  /// passes while a busy machine delays the test. The compiler prefers this initializer to the
  /// library's, whose clock has a default.
  package init(backend: any LocationBackend, configuration: Configuration = .init()) {
    self.init(backend: backend, configuration: configuration, clock: ManualClock())
  }
}
