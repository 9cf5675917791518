public import AsyncLocation

/// A geocoder whose answers a test supplies.
///
/// ```swift
/// let geocoder = MockGeocoder()
/// let updates = manager.placemarks(using: geocoder)
/// try backend.emit(.location(harbour))
/// await geocoder.waitForRequests()
/// geocoder.answer(town)
/// ```
///
/// By default a request waits until the test answers it. A closure answers requests immediately,
/// after a delay on a clock, or not at all: a request for which it returns nil is reported, as
/// ``failing(clock:_:answer:)`` explains.
public final class MockGeocoder: Geocoder {
  /// A request of a program.
  public enum Request: Sendable, Hashable {
    /// The places at a point.
    case reverseGeocode(Coordinate, locale: GeocodingLocale?)
    /// The places with a name.
    case geocode(String, near: Coordinate?, locale: GeocodingLocale?)

    fileprivate var point: Coordinate? {
      switch self {
      case .reverseGeocode(let point, _): point
      case .geocode(_, let near, _): near
      }
    }

    fileprivate var name: String {
      switch self {
      case .reverseGeocode: "reverseGeocode"
      case .geocode: "geocode"
      }
    }
  }

  /// An entry of the log.
  @nonexhaustive
  public enum Call: Sendable, Hashable {
    /// The program made a request.
    case requested(Request)
    /// The program cancelled a request that was not answered.
    case cancelled(Request)
  }

  private typealias Outcome = Result<[Placemark], LocationError>

  private let clock: (any Clock<Duration>)?
  private let report: @Sendable (String) -> Void
  private let supply: @Sendable (Request) -> Answer?
  private let journal = Journal<Call>()
  private let pending = Locked(PendingAnswers<Request, Outcome>())

  /// Creates a geocoder whose requests the test answers one by one, with ``answer(_:to:)`` and
  /// ``fail(_:to:)``.
  public convenience init() {
    self.init(clock: nil, report: { _ in }, supply: { _ in .later })
  }

  /// Creates a geocoder whose requests a closure answers.
  ///
  /// - Parameters:
  ///   - clock: Measures the delays of answers.
  ///   - answer: Returns the answer to a request. Called on the task that makes the request.
  public convenience init(
    clock: (any Clock<Duration>)? = nil, answer: @escaping @Sendable (Request) -> Answer
  ) {
    self.init(clock: clock, report: { _ in }, supply: answer)
  }

  /// Creates a geocoder that reports each request that the test did not supply. Use it to test code
  /// that must not geocode, or must request only certain places.
  ///
  /// ```swift
  /// let geocoder = MockGeocoder.failing { Issue.record("\($0)") }
  /// ```
  ///
  /// After the report, the request throws `LocationError` with code `unsupported`. An answer with
  /// a delay is reported in the same way if there is no clock.
  ///
  /// - Parameters:
  ///   - clock: Measures the delays of answers.
  ///   - report: Records a failure of the test.
  ///   - answer: The answer to a request; nil if the test does not expect it.
  public static func failing(
    clock: (any Clock<Duration>)? = nil, _ report: @escaping @Sendable (String) -> Void,
    answer: @escaping @Sendable (Request) -> Answer? = { _ in nil }
  ) -> MockGeocoder {
    MockGeocoder(clock: clock, report: report, supply: answer)
  }

  private init(
    clock: (any Clock<Duration>)?, report: @escaping @Sendable (String) -> Void,
    supply: @escaping @Sendable (Request) -> Answer?
  ) {
    self.clock = clock
    self.report = report
    self.supply = supply
  }

  // MARK: The log

  /// The requests and cancellations so far, oldest first. At 20,000 entries the older half of the
  /// log is dropped.
  public var calls: [Call] { journal.entries }

  /// The requests so far, oldest first.
  public var requests: [Request] {
    calls.compactMap { if case .requested(let request) = $0 { request } else { nil } }
  }

  /// The requests that wait for ``answer(_:to:)`` or ``fail(_:to:)``, oldest first.
  public var pendingRequests: [Request] { pending.withLock { $0.subjects } }

  /// Waits until at least `count` requests were made, past ones included, or until the calling task
  /// is cancelled.
  public func waitForRequests(_ count: Int = 1) async {
    _ = await journal.wait { requests.count >= count }
  }

  /// Waits until an entry is in the log, or until the calling task is cancelled.
  public func waitForCall(_ call: Call) async {
    _ = await journal.wait { calls.contains(call) }
  }

  // MARK: Answers

  /// Answers a waiting request with ranked placemarks, or with "no result" if there are none.
  ///
  /// - Parameters:
  ///   - placemarks: The places, the best first.
  ///   - request: The request to answer; by default the oldest one.
  /// - Returns: False if no such request waits.
  @discardableResult
  public func answer(_ placemarks: Placemark..., to request: Request? = nil) -> Bool {
    resolve(request, .success(placemarks))
  }

  /// Answers a waiting request with an error.
  ///
  /// - Parameters:
  ///   - error: The error that the request throws.
  ///   - request: The request to answer; by default the oldest one.
  /// - Returns: False if no such request waits.
  @discardableResult
  public func fail(_ error: LocationError, to request: Request? = nil) -> Bool {
    resolve(request, .failure(error))
  }

  private func resolve(_ request: Request?, _ outcome: Outcome) -> Bool {
    let promise = pending.withLock { $0.take { request == nil || $0 == request } }
    promise?.fulfill(outcome)
    return promise != nil
  }

  // MARK: Geocoder

  public func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await placemarks(for: .reverseGeocode(coordinate, locale: locale))
  }

  public func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await placemarks(for: .geocode(name, near: near, locale: locale))
  }

  /// Returns the placemarks as every geocoder does: distances are measured from the point of the
  /// request, and an empty answer is "no result".
  private func placemarks(for request: Request) async throws -> [Placemark] {
    let placemarks = try await outcome(of: request).get()
    guard !placemarks.isEmpty else {
      throw LocationError(.geocodeFoundNoResult, "The mock geocoder was told to find nothing.")
    }
    return request.point.map { point in placemarks.map { $0.measured(from: point) } } ?? placemarks
  }

  private func outcome(of request: Request) async throws -> Outcome {
    guard let answer = supply(request) else {
      journal.append(.requested(request))
      return unsupplied(
        "The geocoder's '\(request.name)' was called, which this test did not expect; return an "
          + "answer from the closure 'answer' to supply it.")
    }
    guard let (outcome, delay) = answer.outcome else {
      let entry = pending.withLock { $0.open(request) }
      journal.append(.requested(request))  // Last: a waiting test finds the request pending.
      if let outcome = await entry.promise.value() { return outcome }
      pending.withLock { $0.drop(entry) }
      throw cancellation(of: request)
    }
    journal.append(.requested(request))
    guard delay > .zero else { return outcome }
    guard let clock else {
      return unsupplied(
        "A MockGeocoder without a clock cannot delay its answer to '\(request.name)'; pass "
          + "'clock:'."
      )
    }
    do {
      try await clock.sleep(for: delay)
    } catch {
      throw cancellation(of: request)
    }
    return outcome
  }

  private func unsupplied(_ message: String) -> Outcome {
    report(message)
    return .failure(LocationError(.unsupported, message))
  }

  private func cancellation(of request: Request) -> CancellationError {
    journal.append(.cancelled(request))
    return CancellationError()
  }
}

extension MockGeocoder {
  /// The answer to a request.
  public struct Answer: Sendable {
    /// The outcome and its delay; nil if the test answers later.
    fileprivate let outcome: (Result<[Placemark], LocationError>, delay: Duration)?

    private init(_ outcome: (Result<[Placemark], LocationError>, delay: Duration)?) {
      self.outcome = outcome
    }

    /// Ranked placemarks; "no result" if there are none.
    ///
    /// - Parameters:
    ///   - placemarks: The places, the best first.
    ///   - delay: The time until the answer, on the geocoder's clock.
    public static func placemarks(_ placemarks: Placemark..., after delay: Duration = .zero) -> Self
    {
      Self((.success(placemarks), delay))
    }

    /// An error.
    ///
    /// - Parameters:
    ///   - error: The error that the request throws.
    ///   - delay: The time until the answer, on the geocoder's clock.
    public static func error(_ error: LocationError, after delay: Duration = .zero) -> Self {
      Self((.failure(error), delay))
    }

    /// The test answers with ``MockGeocoder/answer(_:to:)`` or ``MockGeocoder/fail(_:to:)``.
    public static var later: Self { Self(nil) }
  }
}
