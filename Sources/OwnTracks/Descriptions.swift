package import AsyncLocation

// The printed descriptions of messages; see `Described`.

extension LocationMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("location", location),
      DescribedMember("batteryLevel", batteryLevel, "%"),
      DescribedMember("batteryStatus", batteryStatus),
      DescribedMember("trackerID", trackerID),
      DescribedMember("trigger", trigger?.rawValue),
      DescribedMember("pressure", pressure, "kPa"),
      DescribedMember("connectivity", connectivity),
      DescribedMember("tag", tag),
      DescribedMember("pointOfInterest", pointOfInterest),
      DescribedMember("regions", regions.isEmpty ? nil : regions),
      DescribedMember("regionIDs", regionIDs.isEmpty ? nil : regionIDs),
      DescribedMember("ssid", ssid),
      DescribedMember("bssid", bssid),
      DescribedMember("createdAt", createdAt),
      DescribedMember("mode", mode),
      DescribedMember("identifier", identifier),
      DescribedMember("motionActivities", motionActivities.isEmpty ? nil : motionActivities),
      DescribedMember("topic", topic),
    ]
  }
}

extension TransitionMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("event", event),
      DescribedMember("time", time),
      DescribedMember("coordinate", coordinate),
      DescribedMember("horizontalAccuracy", horizontalAccuracy, "m"),
      DescribedMember("waypointTime", waypointTime),
      DescribedMember("name", name),
      DescribedMember("regionID", regionID),
      DescribedMember("trackerID", trackerID),
      DescribedMember("trigger", trigger?.rawValue),
    ]
  }
}

extension WaypointMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name),
      DescribedMember("time", time),
      DescribedMember("coordinate", coordinate),
      DescribedMember("radius", radius, "m"),
      DescribedMember("regionID", regionID),
    ]
  }
}

extension WaypointsMessage: Described {
  package var members: [DescribedMember] {
    [DescribedMember("waypoints", waypoints), DescribedMember("creator", creator)]
  }
}

extension LastWillMessage: Described {
  package var members: [DescribedMember] { [DescribedMember("connectedAt", connectedAt)] }
}

extension StatusMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("iOS", iOS), DescribedMember("android", android),
      DescribedMember("linux", linux),
    ]
  }
}

extension DeviceStatus: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("time", time),
      DescribedMember("authorization", authorization),
      DescribedMember("accuracy", accuracy),
      DescribedMember("connection", connection),
      DescribedMember("problem", problem),
    ]
  }
}

extension CardMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name),
      DescribedMember("face", face?.count, "bytes"),
      DescribedMember("trackerID", trackerID),
    ]
  }
}

/// A configuration is not printed: it may contain passwords.
extension CommandMessage: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("action", action.rawValue),
      DescribedMember("waypoints", waypoints.isEmpty ? nil : waypoints),
    ]
  }
}
