public import AsyncLocation

/// The address of an HTTP server for OwnTracks' messages, such as OwnTracks' Recorder, Traccar or
/// Home Assistant, and the options of its requests.
///
/// A ``LocationPublisher`` sends each message as a POST, one at a time and in order, over a
/// connection that stays open. The body is the message's JSON. The headers `X-Limit-U` and
/// `X-Limit-D` name the user and the device. HTTP has no topics, so the member `topic` is added to
/// the JSON with the topic that the message would have at a broker, such as `owntracks/jane/boat`,
/// or `owntracks/jane/boat/event` for a transition.
///
/// The next step depends on the status of the answer; its body is ignored.
///
/// - 200...299: the message is delivered. If the answer is lost, the message is sent again: the
///   server may receive it twice, with the same device and time.
/// - 400, 413 and 422: the message is dropped, and counted in ``PublisherStatistics/refused``. A
///   wrong certificate or address may also cause these statuses. So consecutive refusals alternate:
///   the first drops its message; after the second, nothing is dropped and all messages wait as
///   after status 401; the third drops its message, and so on.
/// - 401 and 403: all messages wait, and are sent again after the longest delay of
///   ``reconnection``, with credentials that are read again. The
///   ``/AsyncLocation/ConnectionState/problem`` of the connection is `credentialsRefused` or
///   `denied`.
/// - Any other status, such as 404, 429 or 503, and a request without an answer: all messages wait,
///   and are sent again after the delay of ``reconnection``.
/// - The run ends if the server's certificate is not trusted (`serverUntrusted`), if no attempt is
///   left, or if the files of ``tls`` or ``credentials`` are unusable before the first answer that
///   delivers or drops a message (`invalidValue`).
///
/// If the server sends `Retry-After`, each of these delays is added to its time.
///
/// Redirects are not followed, since a request contains credentials and locations. libcurl uses the
/// proxy from the environment, such as `https_proxy`.
///
/// The state of the connection is `connecting` at the start and after each delay, `connected` once
/// a message was delivered or dropped, `waiting` during a delay, and `failed` when the run ends
/// with an error. While `connected`, the problem is that of the last dropped message, until a
/// message is delivered.
///
/// On a network with a login page, a request to an `http` address may be answered by that page with
/// status 200, and the message is lost. An `https` address avoids this.
public struct OwnTracksServer: Sendable {
  /// Encryption and authentication with certificates, for an `https` address. Files are PEM, and
  /// are read again for each connection, so renewed certificates need no restart. TLS 1.2 is the
  /// minimum version.
  public struct TLS: Sendable, Hashable {
    /// The file with the certificates of the trusted authorities; nil for those of the system.
    public var authorityFile: String?
    /// The file with this program's certificate and its chain; nil for none.
    public var certificateFile: String?
    /// The file with the private key of ``certificateFile``.
    public var keyFile: String?

    /// Creates options.
    public init(
      authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) {
      self.authorityFile = authorityFile
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  /// The address to which messages are posted, such as `https://recorder.example.org/pub`. Error
  /// messages contain only its scheme, host and port.
  public var url: String
  /// User name and password for basic authentication; nil for none. They are read again after each
  /// failure. Over `http`, anyone on the network path can read them.
  public var credentials: MQTTConfiguration.Credentials?
  /// TLS options for an `https` address.
  public var tls: TLS
  /// The behaviour after a transient error.
  public var reconnection: Reconnection
  /// The time limit of the name look-up, the connection and TLS, 1 ms...86,400 s.
  public var connectTimeout: Duration
  /// The time limit of a request, with its connection and the whole answer, 1 ms...86,400 s.
  public var timeout: Duration

  /// Creates a configuration. It is validated when it is used.
  public init(
    url: String, credentials: MQTTConfiguration.Credentials? = nil, tls: TLS = TLS(),
    reconnection: Reconnection = .exponential(), connectTimeout: Duration = .seconds(10),
    timeout: Duration = .seconds(30)
  ) {
    self.url = url
    self.credentials = credentials
    self.tls = tls
    self.reconnection = reconnection
    self.connectTimeout = connectTimeout
    self.timeout = timeout
  }
}
