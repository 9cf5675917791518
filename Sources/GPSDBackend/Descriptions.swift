package import AsyncLocation

// The printed descriptions of the backend's configuration and options; see `Described`.

extension GPSDConfiguration: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("host", host),
      DescribedMember("port", port),
      DescribedMember("device", device),
      DescribedMember("receiverSelection", receiverSelection),
      DescribedMember("fixTimeout", fixTimeout),
      DescribedMember("epochs", epochs),
      DescribedMember("transport", transport),
      DescribedMember("reconnection", reconnection),
      DescribedMember("connectTimeout", connectTimeout),
      DescribedMember("handshakeTimeout", handshakeTimeout),
      DescribedMember("silenceTimeout", silenceTimeout),
      DescribedMember("waitsForDevice", waitsForDevice),
      DescribedMember("sharedMemoryInterval", sharedMemoryInterval),
      DescribedMember("maximumLineLength", maximumLineLength, "bytes"),
      DescribedMember("authorizationPolicy", type(of: authorizationPolicy)),
    ]
  }
}

extension ReportOptions: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("classes", classes),
      DescribedMember("device", device),
      DescribedMember("pps", pps),
      DescribedMember("scaled", scaled),
      DescribedMember("split24", split24),
      DescribedMember("nmea", nmea),
      DescribedMember("raw", raw),
      DescribedMember("timing", timing),
      DescribedMember("buffering", buffering),
    ]
  }
}

extension ReceivedReport: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("number", number),
      DescribedMember("report", report),
      DescribedMember("line", line),
    ]
  }
}
