import AsyncLocation
import CGPSDShims

/// The attached shared memory of a local gpsd, detached once on deinitialization.
@safe struct SharedMemorySegment: ~Copyable {
  // SAFETY: both are created by `init`, freed by `deinit`, and used only in between, by one owner.
  // The shim writes at most as many satellites as the capacity that is passed to it.
  private let session: OpaquePointer
  private let satellites: UnsafeMutableBufferPointer<CGPSDSatellite>

  init() throws(LocationError) {
    var found: OpaquePointer?
    let status = unsafe cgpsd_shared_memory_open(&found)
    guard status == 0, let opened = unsafe found else { throw .sharedMemory(status) }
    unsafe session = opened
    unsafe satellites = .allocate(capacity: Int(CGPSD_SATELLITES))
    unsafe satellites.initialize(repeating: CGPSDSatellite())
  }

  deinit {
    unsafe cgpsd_shared_memory_close(session)
    unsafe satellites.deallocate()
  }

  /// Returns the record if gpsd has written a new one since the last call, otherwise nil. The
  /// record found by the first call is not returned: it may come from a gpsd that no longer runs.
  mutating func read() throws(LocationError) -> SharedMemoryRecord? {
    var report = CGPSDReport()
    guard let storage = unsafe satellites.baseAddress else { return nil }
    let status = unsafe cgpsd_shared_memory_read(session, &report, storage, Int32(satellites.count))
    guard status >= 0 else { throw .sharedMemory(status) }
    guard status > 0 else { return nil }
    let count = unsafe min(max(Int(report.satellitesVisible), 0), satellites.count)
    return unsafe SharedMemoryRecord(report: report, satellites: Array(satellites[..<count]))
  }
}

extension LocationError {
  /// Creates the error for a negative status of the shim.
  static func sharedMemory(_ status: Int32) -> Self {
    switch Int(status) {
    case CGPSD_UNSUPPORTED:
      Self(
        .unsupported,
        "This build does not support shared memory: the package trait LibGPS is off. "
          + "Turn it on, with libgps-dev installed, or use the transport .socket.")
    case CGPSD_MISMATCH:
      Self(
        .unsupported,
        "gpsd's shared memory has another layout than this program was built for "
          + "(libgps API \(cgpsd_api_version())). Use gpsd and libgps of one release, "
          + "or the transport .socket.")
    case CGPSD_DENIED:
      Self(
        .denied,
        "This process may not read gpsd's shared memory. Run it as a user with access, "
          + "or use the transport .socket.")
    case CGPSD_EXHAUSTED:
      Self(
        .backendUnavailable, "There is no memory or descriptor left to read gpsd's shared memory.")
    default:
      Self(
        .backendUnavailable,
        "No gpsd on this machine shares its memory; is it running, and built with shared memory?")
    }
  }

  static func silentSharedMemory(for span: Duration) -> Self {
    Self(
      .locationUnknown,
      "gpsd's shared memory has not changed for \(span). Is gpsd running and a receiver switched on?"
    )
  }
}
